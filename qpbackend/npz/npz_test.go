package npz_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend/formats"
	"github.com/dcopt/dcopt/qpbackend/npz"
)

// none is what NumPy writes behind the header of a saved None.
const none = "\x80\x03cnumpy.core.multiarray\n_reconstruct\nq\x00cnumpy\nndarray\nq\x01K\x00\x85q\x02C\x01bq\x03\x87q\x04Rq\x05(K\x01)cnumpy\ndtype\nq\x06X\x02\x00\x00\x00O8q\x07\x89\x88\x87q\x08Rq\t(K\x03X\x01\x00\x00\x00|q\nNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tq\x0bb\x89]q\x0cNatq\rb."

// member is an array of an archive.
type member struct {
	name   string
	shape  string // as Python writes it
	values []float64
	object string // the pickle; "": numbers
}

func archive(members ...member) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		w, _ := z.Create(m.name + ".npy")
		descr := "<f8"
		if m.object != "" {
			descr = "|O"
		}
		head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, m.shape)
		fmt.Fprintf(w, "\x93NUMPY\x01\x00%c%c%s", len(head)&255, len(head)>>8, head)
		if m.object != "" {
			fmt.Fprint(w, m.object)
		} else {
			binary.Write(w, binary.LittleEndian, m.values)
		}
	}
	z.Close()
	return b.Bytes()
}

// all has every part: ½x₀² + x₀x₁ + x₁² − x₀ with a row of each kind.
func all() []member {
	return []member{
		{"P", "(2, 2)", []float64{1, 1, 1, 2}, ""}, {"q", "(2,)", []float64{-1, 0}, ""},
		{"G", "(1, 2)", []float64{3, 0}, ""}, {"h", "(1,)", []float64{4}, ""},
		{"A", "(1, 2)", []float64{5, 6}, ""}, {"b", "(1, 1)", []float64{7}, ""},
		{"lb", "(2,)", []float64{math.Inf(-1), 0}, ""}, {"ub", "()", nil, none},
	}
}

func TestAll(t *testing.T) {
	f, err := npz.Read(bytes.NewReader(archive(all()...)))
	if err != nil {
		t.Fatal(err)
	}
	p := f.Problem
	if !slices.Equal(p.P.Val, []float64{1, 1, 2}) || !p.P.IsUpper() {
		t.Errorf("P has the values %v", p.P.Val)
	}
	if !slices.Equal(p.L, []float64{math.Inf(-1), 7}) || !slices.Equal(p.U, []float64{4, 7}) {
		t.Errorf("sides %v and %v", p.L, p.U)
	}
	if !slices.Equal(p.A.Val, []float64{3, 5, 6}) || !slices.Equal(p.A.RowIdx, []int{0, 1, 1}) {
		t.Errorf("A has %v in the rows %v", p.A.Val, p.A.RowIdx)
	}
	if !slices.Equal(p.Lo, []float64{math.Inf(-1), 0}) || p.Hi != nil {
		t.Errorf("bounds %v and %v", p.Lo, p.Hi)
	}
	if !slices.Equal(f.ColNames, []string{"x1", "x2"}) || !slices.Equal(f.RowNames, []string{"G1", "A1"}) {
		t.Errorf("names %v, %v", f.ColNames, f.RowNames)
	}
	if len(f.Notes) > 0 {
		t.Errorf("notes %q", f.Notes)
	}
	f, err = npz.Read(bytes.NewReader(archive(append(all()[:2], member{"x0", "(2,)", []float64{1, 2}, ""})...)))
	if err != nil || f.Problem.A != nil || len(f.Notes) != 1 || !strings.Contains(f.Notes[0], `"x0" is left out`) {
		t.Errorf("P and q alone: %v, %+v", err, f)
	}
	rounded := all()
	rounded[0].values[1] += 1e-12
	if f, err = npz.Read(bytes.NewReader(archive(rounded...))); err != nil || len(f.Notes) != 1 || f.Problem.P.Val[1] == 1 {
		t.Errorf("P with a rounding error: %v, %+v", err, f)
	}
}

// twoSided is the problem of all in the form of OSQP, its matrices by compressed columns.
func twoSided() []member {
	return []member{
		{"P_data", "(3,)", []float64{1, 1, 2}, ""}, {"P_indices", "(3,)", []float64{0, 0, 1}, ""}, {"P_indptr", "(3,)", []float64{0, 1, 3}, ""},
		{"q", "(2,)", []float64{-1, 0}, ""}, {"r", "()", []float64{8}, ""}, {"shape", "(2,)", []float64{2, 2}, ""},
		{"A_data", "(3,)", []float64{3, 5, 6}, ""}, {"A_indices", "(3,)", []float64{0, 1, 1}, ""}, {"A_indptr", "(3,)", []float64{0, 2, 3}, ""},
		{"l", "(2,)", []float64{math.Inf(-1), 7}, ""}, {"u", "(2,)", []float64{4, 7}, ""},
	}
}

func TestTwoSided(t *testing.T) {
	want, err := npz.Read(bytes.NewReader(archive(all()...)))
	if err != nil {
		t.Fatal(err)
	}
	full := twoSided()
	full[0] = member{"P_data", "(4,)", []float64{1, 1, 1, 2}, ""}
	full[1] = member{"P_indices", "(4,)", []float64{0, 1, 0, 1}, ""}
	full[2] = member{"P_indptr", "(3,)", []float64{0, 2, 4}, ""}
	for _, c := range []struct {
		members []member
		notes   int
	}{{twoSided(), 1}, {full, 0}} {
		f, err := npz.Read(bytes.NewReader(archive(c.members...)))
		if err != nil {
			t.Fatal(err)
		}
		p, w := f.Problem, want.Problem
		if !reflect.DeepEqual([]any{p.P, p.Q, p.A, p.L, p.U}, []any{w.P, w.Q, w.A, w.L, w.U}) || p.R != 8 || p.Lo != nil || p.Hi != nil {
			t.Errorf("%+v, want %+v", p, w)
		}
		if len(f.Notes) != c.notes || !slices.Equal(f.RowNames, []string{"A1", "A2"}) {
			t.Errorf("notes %q, rows %q", f.Notes, f.RowNames)
		}
	}
	oneSide := append(twoSided()[:9], member{"u", "(2,)", []float64{4, 7}, ""})
	f, err := npz.Read(bytes.NewReader(archive(oneSide...)))
	if err != nil || !slices.Equal(f.Problem.L, []float64{math.Inf(-1), math.Inf(-1)}) || !slices.Equal(f.Problem.U, []float64{4, 7}) {
		t.Errorf("u alone: %v, %+v", err, f)
	}
	for _, c := range []struct {
		at   int
		m    member
		want string
	}{
		{0, member{"P", "(2, 2)", []float64{1, 1, 1, 2}, ""}, `"P" is there twice`},
		{1, member{"P_indices", "(3,)", []float64{0, 2, 1}, ""}, `"P_indices": the entry [2] is 2; want a whole number from 0 to 1`},
		{2, member{"P_indptr", "(4,)", []float64{0, 1, 2, 3}, ""}, `"P_indptr" must have 3 entries`},
		{4, member{"r", "()", []float64{math.Inf(1)}, ""}, `"r" has an infinite entry`},
		{5, member{"shape", "(2,)", []float64{2, 3}, ""}, `"shape" says 2 rows and 3 columns, want 2 and 2`},
		{6, member{"A_data", "(3,)", []float64{3, math.Inf(1), 6}, ""}, `"A_data": the entry [2]`},
		{8, member{"lb", "(2,)", []float64{0, 0}, ""}, `no array "A_indptr"`},
		{9, member{"b", "(2,)", []float64{1, 1}, ""}, `sides twice`},
		{10, member{"u", "(3,)", []float64{4, 7, 9}, ""}, `"u" has the shape [3], want [2]`},
	} {
		list := twoSided()
		list[c.at] = c.m
		if _, err := npz.Read(bytes.NewReader(archive(list...))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; want %q", err, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	change := func(k int, m member) []byte {
		list := all()
		list[k] = m
		return archive(list...)
	}
	for _, c := range []struct {
		data []byte
		want string
	}{
		{[]byte("no archive"), "no .npz file"},
		{archive(all()[1:]...), `no array "P"`},
		{archive(all()[:1]...), `no array "q"`},
		{archive(all()[:3]...), "one is missing"},
		{change(0, member{"P", "(2, 2)", []float64{1, 1, 2, 2}, ""}), "not symmetric: entry (1, 2) is 1, entry (2, 1) is 2"},
		{change(0, member{"P", "(4,)", []float64{1, 1, 2, 2}, ""}), "the shape [4], want [2 2]"},
		{change(0, member{"P", "(2, 2)", []float64{1, 1, 1, math.Inf(1)}, ""}), "infinite"},
		{change(1, member{"q", "(0,)", nil, ""}), "empty"},
		{change(1, member{"q", "(2,)", []float64{math.NaN(), 1}, ""}), "NaN"},
		{change(2, member{"G", "(1, 3)", []float64{1, 1, 1}, ""}), `"G" has the shape [1 3], want [1 2]`},
		{change(6, member{"lb", "(3,)", []float64{1, 1, 1}, ""}), `"lb" has the shape`},
		{change(7, member{"ub", "(2,)", []float64{0, -1}, ""}), "bounds 0 and -1"},
		{change(7, member{"ub", "()", nil, "\x80\x03cos\nsystem\nX\x04\x00\x00\x00true\x85R."}), "Python objects, which are not read"},
		{change(7, member{"ub", "(2,)", nil, none}), "Python objects"},
	} {
		if _, err := npz.Read(bytes.NewReader(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; want %q", err, c.want)
		}
	}
}

// TestBenchmark reads problems of qpbenchmark, and a large one of Maros and Meszaros.
func TestBenchmark(t *testing.T) {
	for name, want := range map[string][3]int{"mpc/LIPMWALK0": {16, 32, 0}, "mpc/QUADCMPC3": {384, 448, 384}, "maros_large/CONT-201": {40397, 80595, 0}} {
		t.Run(name, func(t *testing.T) {
			f, err := formats.ReadFile(shared.Path(t, "data", filepath.FromSlash(name)+".npz"))
			if err != nil {
				t.Fatal(err)
			}
			n, m := f.Problem.Dims()
			if got := [3]int{n, m, len(f.Problem.Lo)}; got != want {
				t.Errorf("variables, rows, bounds %v, want %v", got, want)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add(archive(all()...))
	f.Add(archive(all()[:2]...))
	f.Add(archive(twoSided()...))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := npz.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		if err := file.Problem.Validate(); err != nil {
			t.Error(err)
		}
	})
}
