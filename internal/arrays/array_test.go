package arrays

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var inf = math.Inf(1)

var some = Limits{Numbers: 1 << 12, Side: 1 << 10, Dimensions: 8}

// The matrices of testdata/make.py.
var (
	signed    = Dense{[]int{2, 3}, []float64{0, 1, 0, -2, 0, 3}}
	natural   = Dense{[]int{2, 3}, []float64{0, 1, 0, 2, 0, 3}}
	truths    = Dense{[]int{2, 3}, []float64{0, 1, 0, 1, 0, 1}}
	symmetric = Dense{[]int{3, 3}, []float64{2, -1, 0, -1, 0, 3, 0, 3, 1}}
	skew      = Dense{[]int{3, 3}, []float64{0, -1, 4, 1, 0, 3, -4, -3, 0}}
)

// expanded is a sparse matrix with its zeros, after a look at its form.
func expanded(t testing.TB, m *Sparse) Dense {
	t.Helper()
	if len(m.Ptr) != m.Rows+1 || m.Ptr[0] != 0 || m.Ptr[m.Rows] != len(m.Idx) || len(m.Idx) != len(m.Val) || !slices.IsSorted(m.Ptr) {
		t.Fatalf("%+v is not in compressed form", m)
	}
	d := Dense{[]int{m.Rows, m.Cols}, make([]float64, m.Rows*m.Cols)}
	for i := range m.Rows {
		for p := m.Ptr[i]; p < m.Ptr[i+1]; p++ {
			if m.Val[p] == 0 || m.Idx[p] < 0 || m.Idx[p] >= m.Cols || p > m.Ptr[i] && m.Idx[p] <= m.Idx[p-1] {
				t.Fatalf("%+v: entry %d is 0 or out of order", m, p)
			}
			d.Values[i*m.Cols+m.Idx[p]] = m.Val[p]
		}
	}
	return d
}

// read reads a file of any format; of an archive the sparse matrix or the first array.
func read(t testing.TB, name string, data []byte, lim Limits) (Dense, error) {
	t.Helper()
	var m *Sparse
	switch filepath.Ext(name) {
	case ".npy":
		return ReadNPY(bytes.NewReader(data), lim)
	case ".json":
		return ReadJSON(data, lim)
	case ".mtx":
		s, d, err := ReadMTX(data, lim)
		if err != nil {
			return Dense{}, err
		}
		if d != nil {
			return *d, nil
		}
		m = s
	case ".npz":
		a, err := OpenNPZ(data)
		if err != nil {
			return Dense{}, err
		}
		if !a.IsSparse() {
			return a.Array(a.Names[0], lim)
		}
		if m, err = a.Sparse(lim); err != nil {
			return Dense{}, err
		}
	}
	d := expanded(t, m)
	if back := expanded(t, m.T().T()); !slices.Equal(back.Values, d.Values) {
		t.Fatalf("the transpose of the transpose of %+v is %+v", m, m.T().T())
	}
	return d, nil
}

func (d Dense) equal(o Dense) bool {
	return slices.Equal(d.Shape, o.Shape) && slices.Equal(d.Values, o.Values)
}

// TestFiles reads every file of testdata as it is, and refuses it cut off anywhere.
func TestFiles(t *testing.T) {
	cube := Dense{Shape: []int{2, 3, 4}}
	for k := range 24 {
		cube.Values = append(cube.Values, float64(k))
	}
	twice := Dense{[]int{2, 3}, []float64{0, 1, 0, -2, 0, 3}}
	want := []struct {
		pattern string
		d       Dense
		err     string
	}{
		{"dense_*.npy", signed, ""}, {"natural_*.npy", natural, ""}, {"truth.npy", truths, ""}, {"columns.npy", signed, ""},
		{"cube.npy", cube, ""}, {"scalar.npy", Dense{nil, []float64{2.5}}, ""}, {"none.npy", Dense{[]int{0, 3}, nil}, ""},
		{"vector.npy", Dense{[]int{3}, []float64{1, inf, -inf}}, ""},
		{"complex.npy", Dense{}, "complex; save the real and the imaginary parts"}, {"words.npy", Dense{}, "words, not numbers"},
		{"objects.npy", Dense{}, "Python objects"}, {"records.npy", Dense{}, "records; save one field"}, {"nan.npy", Dense{}, "the entry [1,2] is NaN"},
		{"several.npz", signed, ""}, {"one.npz", signed, ""},
		{"sparse_c*.npz", signed, ""}, {"sparse_twice.npz", twice, ""}, {"sparse_unsorted.npz", signed, ""}, {"sparse_bsr.npz", Dense{}, `the sparse format "bsr" is not read; save A.tocsr()`},
		{"general.mtx", signed, ""}, {"integer.mtx", signed, ""}, {"array.mtx", signed, ""}, {"pattern.mtx", truths, ""},
		{"symmetric*.mtx", symmetric, ""}, {"skew*.mtx", skew, ""},
	}
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if name == "make.py" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, w := range want {
			if ok, _ := filepath.Match(w.pattern, name); !ok {
				continue
			}
			found = true
			d, err := read(t, name, data, some)
			if w.err != "" && (err == nil || !strings.Contains(err.Error(), w.err)) || w.err == "" && (err != nil || !d.equal(w.d)) {
				t.Errorf("%s: %v, %v; want %v %s", name, d, err, w.d, w.err)
			}
			if w.err != "" {
				continue
			}
			for k := range len(bytes.TrimRight(data, "\n")) - 1 {
				if cut, err := read(t, name, data[:k], some); err == nil {
					t.Errorf("%s cut off at byte %d is read as %v", name, k, cut)
					break
				}
			}
		}
		if !found {
			t.Errorf("nothing is known of %s", name)
		}
	}
}

// npy is a file of version 1 with a header and some bytes.
func npy(header, data string) string {
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header + data
}

// TestRefusals: each mistake has its message, with the place.
func TestRefusals(t *testing.T) {
	const banner = "%%MatrixMarket matrix coordinate real general\n"
	for _, c := range []struct{ name, data, want string }{
		{".npy", "", "this is no .npy file"},
		{".npy", "\x93NUMPY\x09\x00\x00\x00", "byte 7: version 9"},
		{".npy", "\x93NUMPY\x02\x00\xff\xff\xff\xff", "a header of more than 10000 bytes"},
		{".npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", "12345678 "), "goes on behind its array"},
		{".npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} 1", "12345678"), "byte 67: the header goes on behind its end"},
		{".npy", npy("{'descr': '<f8', 'fortran_order': False}", ""), `the header has no "shape"`},
		{".npy", npy("{'descr': '<f8', 'descr': '<f8', 'shape': ()}", ""), `the header has "descr" twice`},
		{".npy", npy("{'descr': '<f8', 'fortran_order': 0, 'shape': ()}", ""), "byte 45: a header that is not understood: want False"},
		{".npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999, 9999999999)}", ""), "more than 4096 numbers"},
		{".npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}", ""), "want a dimension"},
		{".npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", "12345678"), "9 dimensions; 8 at most"},
		{".npy", npy("{'descr': '<f16', 'fortran_order': False, 'shape': ()}", ""), "entries of type f16 are not read; save them as float64"},
		{".npy", npy("{'descr': '<fx', 'fortran_order': False, 'shape': ()}", ""), `the type "fx" of the entries is not known`},
		{".npy", npy("{'descr': 'M8[ns]', 'fortran_order': False, 'shape': ()}", ""), "are not read; save them as float64"},
		{".npy", npy("{'other': '<fx', 'fortran_order': False, 'shape': ()}", ""), `"other", which is not known`},
		{".npz", "PK\x03\x04", "this is no .npz file"},
		{".mtx", "", "line 1: this is no Matrix Market file"},
		{".mtx", "1 2\n", "line 1: this is no Matrix Market file"},
		{".mtx", "%%MatrixMarket matrix coordinate\n", "line 1: want %%MatrixMarket matrix, a format, a field and a symmetry"},
		{".mtx", "%%MatrixMarket vector coordinate real general\n", "line 1: the object vector is not known; want matrix"},
		{".mtx", "%%MatrixMarket matrix dense real general\n", "line 1: the format dense is not known; want coordinate, array"},
		{".mtx", "%%MatrixMarket matrix array complex general\n", "line 1: the matrix is complex"},
		{".mtx", "%%MatrixMarket matrix array real hermitian\n", "line 1: the matrix is complex"},
		{".mtx", "%%MatrixMarket matrix array pattern general\n", "line 1: a pattern is neither an array nor skew-symmetric"},
		{".mtx", "%%MatrixMarket matrix array real symmetric\n2 3\n", "line 2 column 4: a symmetric matrix must be square"},
		{".mtx", banner, "the file ends too early"},
		{".mtx", banner + "2 2\n", "line 2 column 4: want the number of entries"},
		{".mtx", banner + "2 2 1 1\n1 1 1\n", "line 2 column 7: the line goes on"},
		{".mtx", banner + "9999 2 1\n1 1 1\n", "line 2 column 1: the number of rows is larger than 1024"},
		{".mtx", banner + "2 2 99999\n", "line 2 column 5: the number of entries is larger than 4096"},
		{".mtx", banner + "% a\n\n 2 2 2\n1 1 1\n3 1 1\n", "line 6 column 1: the row is outside 1..2"},
		{".mtx", banner + "2 2 1\n0 1 1\n", "line 3 column 1: want the row, a whole number from 1 on"},
		{".mtx", banner + "2 2 1\n1 1.5 1\n", "line 3 column 3: want the column"},
		{".mtx", banner + "2 2 1\n1 1 x\n", "line 3 column 5: want a number"},
		{".mtx", banner + "2 2 1\n1 1 nan\n", "line 3 column 5: want a number"},
		{".mtx", banner + "2 2 1\n1 1 1e999\n", "line 3 column 5: 1e999 is too large for a number"},
		{".mtx", banner + "2 2 1\n1 1 1\n1 2 1\n", "line 4 column 1: the file goes on behind its last entry"},
		{".mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n", "line 3 column 5: want a whole number"},
		{".mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1.5\n", "line 3 column 1: the entry [1,2] does not lie in the triangle"},
		{".mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1.5\n", "line 3 column 1: the entry [1,1] does not lie in the triangle"},
		{".mtx", "%%MatrixMarket matrix array real general\n60 60\n", "the file ends too early"},
		{".mtx", "%%MatrixMarket matrix array real general\n600 600\n", "line 2 column 8: more than 4096 numbers"},
		{".json", "[1, 2\n, [3]]", "line 2 column 3: the array is not rectangular"},
		{".json", "[[1], 2]", "line 1 column 7: the array is not rectangular"},
		{".json", "[[1], [[2]]]", "line 1 column 8: the array is not rectangular"},
		{".json", "[[1, 2], [3]]", "line 1 column 10: the array is not rectangular"},
		{".json", "[[], []]", "line 1 column 2: an empty array"},
		{".json", "[[[[[[[[[1]]]]]]]]]", "line 1 column 9: more than 8 dimensions"},
		{".json", "[1, 1e999]", "line 1 column 5: 1e999 is too large"},
		{".json", "[1 2]", "line 1 column 4: want a comma or ]"},
		{".json", "[+1]", "line 1 column 2: want a number"},
		{".json", "[-]", "line 1 column 2: this is no number of JSON"},
		{".json", "[.5]", "line 1 column 2: want a number"},
		{".json", "[5.]", "line 1 column 2: this is no number of JSON"},
		{".json", "[\"a\"]", "line 1 column 2: want a number"},
		{".json", "[" + strings.Repeat("1,", 5000) + "1]", "more than 4096 numbers"},
	} {
		if d, err := read(t, c.name, []byte(c.data), some); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v, %v; want %q", c.name, c.data[:min(len(c.data), 100)], d, err, c.want)
		}
	}
}

// TestRoom: a short file that claims to be large takes no memory.
func TestRoom(t *testing.T) {
	large := Limits{Numbers: 1 << 30, Side: 1 << 10, Dimensions: 8}
	for name, data := range map[string]string{
		"a.npy": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (32768, 32768)}", "12345678"),
		"b.mtx": "%%MatrixMarket matrix array real general\n1024 1024\n1\n",
		"c.mtx": "%%MatrixMarket matrix coordinate real general\n1024 1024 1000000000\n1 1 1\n",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if d, err := read(t, name, []byte(data), large); err == nil || !strings.Contains(err.Error(), "ends too early") {
			t.Errorf("%s: %v, %v", name, d.Shape, err)
		}
		runtime.ReadMemStats(&after)
		if room := after.TotalAlloc - before.TotalAlloc; room > 1<<20 {
			t.Errorf("%s: %d bytes for a file of %d", name, room, len(data))
		}
	}
}

// TestKeys reads a value out of an object.
func TestKeys(t *testing.T) {
	const object = `{"a": [[1, 2], [3, 4.5e0]], "t\u0041": {"u": ["x\"", null, true, [], {}, -0.5]}, "b": -7 }`
	for key, want := range map[string]Dense{"a": {[]int{2, 2}, []float64{1, 2, 3, 4.5}}, "b": {nil, []float64{-7}}} {
		if d, err := ReadJSONKey([]byte(object), key, some); err != nil || !d.equal(want) {
			t.Errorf("%s: %v, %v", key, d, err)
		}
	}
	_, err := ReadJSONKey([]byte(object), "c", some)
	if missing, ok := err.(*MissingKey); !ok || !slices.Equal(missing.Keys, []string{"a", "tA", "b"}) || err.Error() != "no such key; it has a, tA, b" {
		t.Errorf("a key that is not there: %v", err)
	}
	for _, bad := range []string{"[1]", `{"a" 1}`, `{"a": 1 "b": 2}`, `{"a": 1, "a": 2}`, `{"a": 1,}`, `{"b": [1 2], "a": 1}`, `{"b": nul, "a": 1}`, `{"b": "` + "\n" + `", "a": 1}`, `{"b": 01, "a": 1}`, `{1: 1}`} {
		if d, err := ReadJSONKey([]byte(bad), "a", some); err == nil {
			t.Errorf("%q is read as %v", bad, d)
		}
	}
}
