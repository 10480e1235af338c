//go:build !race

package arrays

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
)

// fuzz checks that whatever a file holds it is read or refused, within the limits.
func fuzz(f *testing.F, pattern string, more ...string) {
	files, err := filepath.Glob("testdata/" + pattern)
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, m := range more {
		f.Add([]byte(m))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := read(t, pattern, data, some)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without a message")
			}
			return
		}
		n, err := sizeOf(d.Shape, some)
		if filepath.Ext(pattern) != ".npy" && filepath.Ext(pattern) != ".json" { // sparse ones may be larger
			n = len(d.Values)
		} else if err != nil {
			t.Fatal(err)
		}
		if len(d.Values) != n {
			t.Fatalf("%d values in shape %v", len(d.Values), d.Shape)
		}
		for _, v := range d.Values {
			if math.IsNaN(v) {
				t.Fatalf("%v holds NaN", d)
			}
		}
	})
}

func FuzzNPY(f *testing.F) { fuzz(f, "*.npy") }
func FuzzNPZ(f *testing.F) { fuzz(f, "*.npz") }
func FuzzMTX(f *testing.F) { fuzz(f, "*.mtx") }

// FuzzJSON holds the reader against encoding/json.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{"[[1, 2], [3, -4.5e-3]]", "7", "[1e999]", "[[1], [2, 3]]", "[01]", "[1.e5]", "[1.5E+05, 0.0, -0]", "[]", "[[[1]]]", `{"a": 1}`, "[1,]", "[1e]", "\t[ 1 ]\r\n", "[1]x", "[--1]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ReadJSON(data, some)
		var v any
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		valid := json.Valid(data) && dec.Decode(&v) == nil
		want, ok := numbersOf(v, some.Dimensions)
		switch {
		case !valid && err == nil:
			t.Fatalf("%q is no JSON and read as %v", data, d)
		case !valid:
		case ok != (err == nil) && !strings.Contains(err.Error(), "more than"):
			t.Fatalf("%q: %v, %v; want %v", data, d, err, want)
		case err == nil && !d.equal(want):
			t.Fatalf("%q is read as %v, want %v", data, d, want)
		}
		if _, err := ReadJSONKey([]byte(`{"s": `+string(data)+`, "a": 1}`), "a", some); (err == nil) != valid && !strings.Contains(string(data), "\"") {
			t.Fatalf("%q is skipped with %v; valid: %v", data, err, valid)
		}
	})
}

// TestJSONParts: a long array is read in parts as it is at once, and so is what is wrong
// with it.
func TestJSONParts(t *testing.T) {
	large := Limits{Numbers: 1 << 20, Side: 1, Dimensions: 8}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for _, element := range shared.Sample(t, 4, []string{"1.5", "[1, 2]", "[ [1,2] , [3,4] ]", "[[[7]]]"}) {
		all := strings.Repeat(element+" ,\n", 4*partBytes/len(element)) + element
		for _, text := range []string{"[" + all + "]", " [" + all + "] \n", "[" + all + ", 1, [2]]", "[" + all, "[" + all + "]]", "[" + strings.Replace(all, ",\n", ",\n,", 1) + "]",
			"[" + all[:len(all)/2] + "x" + all[len(all)/2:] + "]", "[" + all + ",[1]]", "[[1]," + all + "]", "[" + all + "," + strings.Repeat("2,", 1<<20) + "2]"} {
			p := newJSON([]byte(text), large)
			err := p.value(0)
			once := Dense{}
			if err == nil {
				once, err = p.end()
			}
			d, again := ReadJSON([]byte(text), large)
			if (err == nil) != (again == nil) || err != nil && err.Error() != again.Error() || !d.equal(once) {
				t.Errorf("%q...: %v, %v; at once %v", text[:20], d.Shape, again, err)
			}
			if err == nil {
				keyed, err := ReadJSONKey([]byte(`{"b": [1], "a": `+text+`, "c": [2]}`), "a", large)
				if err != nil || !keyed.equal(once) {
					t.Errorf("%q... of a key: %v, %v", text[:20], keyed.Shape, err)
				}
			}
		}
	}
}

// numbersOf is a decoded value as an array, if it is one.
func numbersOf(v any, dims int) (d Dense, ok bool) {
	switch v := v.(type) {
	case json.Number:
		x, err := v.Float64()
		return Dense{nil, []float64{x}}, err == nil
	case []any:
		if len(v) == 0 || dims == 0 {
			return d, false
		}
		for k, e := range v {
			part, ok := numbersOf(e, dims-1)
			if !ok || k > 0 && !(Dense{part.Shape, nil}).equal(Dense{d.Shape, nil}) {
				return d, false
			}
			d.Shape, d.Values = part.Shape, append(d.Values, part.Values...)
		}
		d.Shape = append([]int{len(v)}, d.Shape...)
		return d, true
	}
	return d, false
}
