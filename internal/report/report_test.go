package report

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/record"
)

func TestReportJSON(t *testing.T) {
	r := &Report{
		Record: record.Record{
			Status: "stalled", Objective: Number(math.Inf(1)), MaxViolation: record.N(math.NaN()), Starts: 1, Backend: "ipm",
			Seconds: &record.Seconds{Read: new(float64)}, Message: "a < b",
		},
		Variables: []Block{{Name: "x", Shape: nil, Origin: nil, V: []float64{0.5}, Axes: nil, Im: nil}, {Name: "A<B", Shape: []int{2, 2}, Origin: nil, V: []float64{1, 2, 3, math.Inf(-1)}, Axes: nil, Im: nil}, {Name: "none", Shape: []int{0}, Origin: nil, V: nil, Axes: nil, Im: nil}},
		History:   []record.Iteration{{K: 1, Objective: 2, Violation: 0.5, Step: Number(math.NaN()), Tau: 4}},
	}
	b, err := Line(r.JSON())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"status":"stalled","objective":null,"max_violation":null,"iterations":0,"starts":1,"backend":"ipm",` +
		`"seconds":{"read":0,"compile":0,"solve":0,"backend":0},"message":"a < b",` +
		`"variables":{"x":0.5,"A<B":[[1,2],[3,null]],"none":[]},"duals":{},"history":[{"iteration":1,"hop":0,"objective":2,"max_violation":0.5,"step":null,"tau":4}]}` + "\n"
	if string(b) != want {
		t.Errorf("got  %swant %s", b, want)
	}
	if !json.Valid(b) {
		t.Error("not JSON")
	}
}

func TestNumber(t *testing.T) {
	for _, v := range []float64{0, 1, -1.5, 1e-300, 123456789.123, 1e21, 1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		var back float64
		if err := json.Unmarshal(AppendNumber(nil, v), &back); err != nil || back != v {
			t.Errorf("%g becomes %s", v, AppendNumber(nil, v))
		}
	}
}

func TestBlockText(t *testing.T) {
	count := func(n int) []float64 {
		v := make([]float64, n)
		for k := range v {
			v[k] = float64(k + 1)
		}
		return v
	}
	for _, c := range []struct {
		b    Block
		full bool
		want string
	}{
		{Block{Name: "s", Shape: nil, Origin: nil, V: []float64{2.5}, Axes: nil, Im: nil}, false, "s = 2.5\n"},
		{Block{Name: "v", Shape: []int{3}, Origin: nil, V: count(3), Axes: nil, Im: nil}, false, "v[1..3] = 1 2 3\n"},
		{Block{Name: "v", Shape: []int{12}, Origin: []int{0}, V: count(12), Axes: nil, Im: nil}, false, "v[0..11] = 1  2  3  4  5  6  7  8  9  10\n           11 12\n"},
		{Block{Name: "v", Shape: []int{41}, V: count(41)}, false, "v[1..41] = 1  2  3  4  5  6  7  8  9  10\n           11 12 13 14 15 16 17 18 19 20\n" +
			"           21 22 23 24 25 26 27 28 29 30\n           31 32 33 34 35 36 37 38 ... 41\n"},
		{Block{Name: "w", Shape: []int{2}, V: count(2), Axes: []lang.Axis{{{"rome"}, {"oslo"}}}}, false, "w[\"rome\"] = 1\nw[\"oslo\"] = 2\n"},
		{Block{Name: "v", Shape: []int{12}, Origin: nil, V: count(12), Axes: nil, Im: nil}, true, "v[1..12] = 1 2 3 4 5 6 7 8 9 10 11 12\n"},
		{Block{Name: "m", Shape: []int{2, 2}, Origin: []int{0, 1}, V: count(4), Axes: nil, Im: nil}, false, "m[0,:] = 1 2\nm[1,:] = 3 4\n"},
		{Block{Name: "t", Shape: []int{2, 2, 1}, Origin: nil, V: count(4), Axes: nil, Im: nil}, false, "t[1,1,:] = 1\nt[1,2,:] = 2\nt[2,1,:] = 3\nt[2,2,:] = 4\n"},
		{Block{Name: "e", Shape: []int{0}, Origin: nil, V: nil, Axes: nil, Im: nil}, false, "e[1..0] =\n"},
	} {
		var b bytes.Buffer
		c.b.Text(&b, c.full)
		if b.String() != c.want {
			t.Errorf("%v:\n%swant\n%s", c.b, b.String(), c.want)
		}
	}
	var b bytes.Buffer
	Block{Name: "m", Shape: []int{30, 1}, Origin: nil, V: count(30), Axes: nil, Im: nil}.Text(&b, false)
	if n := strings.Count(b.String(), "\n"); n != MostRows || !strings.HasSuffix(b.String(), "...\nm[30,:] = 30\n") {
		t.Errorf("30 rows are cut to %d:\n%s", n, b.String())
	}
}

// TestNumbersArePrinted: with all digits a number reads back as the same, and
// without them only 0 is printed as 0.
func TestNumbersArePrinted(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	values := []float64{0, 9.9e-13, -9.9e-13, 1e-300, math.SmallestNonzeroFloat64, math.MaxFloat64, 1.0 / 3, -1e22, 123456789.123456789, math.Nextafter(1, 2)}
	for range 1000 {
		values = append(values, math.Float64frombits(rng.Uint64()))
	}
	values = slices.DeleteFunc(values, func(v float64) bool { return v-v != 0 })
	for _, full := range []bool{true, false} {
		for _, b := range []Block{{Name: "x", Shape: []int{len(values)}, Origin: nil, V: values, Axes: nil, Im: nil}, {Name: "x", Shape: []int{1, len(values)}, Origin: nil, V: values, Axes: nil, Im: nil}} {
			var out bytes.Buffer
			b.Text(&out, full)
			_, text, _ := strings.Cut(out.String(), "=")
			for k, word := range strings.Fields(text) {
				if word == "..." {
					break
				}
				if v, err := strconv.ParseFloat(word, 64); err != nil || full && v != values[k] || (v == 0) != (values[k] == 0) {
					t.Errorf("%g is printed as %s", values[k], word)
				}
			}
		}
		r := &Report{Record: record.Record{
			Status: "x", Objective: 1.0 / 3, MaxViolation: record.N(2e-13 / 3), Backend: "b",
			PrimalResidual: record.N(1e-9 / 3), DualResidual: record.N(0), Gap: record.N(0),
		}, Columns: Object{{Name: "c", Value: Number(-1e-13 / 3)}}}
		var out bytes.Buffer
		r.Text(&out, false, full)
		for _, v := range []float64{1.0 / 3, 2e-13 / 3, -1e-13 / 3, 1e-9 / 3} {
			if strings.Contains(out.String(), strconv.FormatFloat(v, 'g', -1, 64)) != full {
				t.Errorf("full %v: %g in\n%s", full, v, out.String())
			}
		}
	}
}

// TestAppendJSON: objects keep their order, and what encoding/json can write is written as it does,
// but for numbers that JSON lacks.
func TestAppendJSON(t *testing.T) {
	type inner struct {
		A *int     `json:"a"`
		B string   `json:"b,omitempty"`
		C []string `json:"c,omitempty"`
		D []int    `json:"d"`
		E [2]bool
		f int
	}
	three := 3
	for _, c := range []struct {
		v    any
		want string // empty: as encoding/json has it
	}{
		{Object{}, "{}"}, {Object(nil), "{}"},
		{Object{{Name: "b \"q\" <é>\n", Value: []any{Number(1), Nested{Shape: []int{2}, V: []float64{1, math.NaN()}}, nil, true}}, {Name: "a", Value: 1}},
			`{"b \"q\" <é>\n":[1,[1,null],null,true],"a":1}`},
		{Nested{Shape: []int{2, 1, 2}, V: []float64{1, 2, 3, -4e-9}}, "[[[1,2]],[[3,-4e-09]]]"},
		{Nested{Shape: nil, V: []float64{7}}, "7"}, {Nested{Shape: []int{0}, V: nil}, "[]"},
		{[]Number{1, Number(math.Inf(1))}, "[1,null]"}, {[]Number{}, "[]"}, {[]Object{{{Name: "x", Value: "y"}}}, `[{"x":"y"}]`},
		{"<&>", `"<&>"`}, {math.NaN(), "null"},
		{v: []any{}}, {v: "plain"}, {v: "\x7f\u2028\u2029\xff\b\f\r\x01"}, {v: map[string]int{"z": 1, "a": 2}}, {v: 3.25}, {v: nil},
		{v: []byte("bytes\x00")}, {v: uint64(1) << 63}, {v: -7}, {v: &three}, {v: (*int)(nil)},
		{v: inner{A: &three, B: "b", C: []string{"c"}, D: []int{1}}}, {v: &inner{f: 1}}, {v: []inner{{}}},
	} {
		want := c.want
		if want == "" {
			b, err := json.Marshal(c.v)
			if err != nil {
				t.Fatal(err)
			}
			want = string(b)
		}
		got, err := AppendJSON([]byte("before"), c.v)
		if err != nil || string(got) != "before"+want || !json.Valid([]byte(want)) {
			t.Errorf("%#v is %s, want %s (%v)", c.v, got, want, err)
		}
	}
	if b, err := AppendJSON(nil, map[int]int{}); err == nil {
		t.Errorf("a map by numbers is %s", b)
	}
}

// FuzzString: strings are read back by encoding/json.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", "a", "\"\\\n\t\r\x00\x1f\x7f", "é∂😀\u2028", "\xff\xfe", "a{", "[", ":"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, err := AppendJSON(nil, []string{s, s})
		var back []string
		if err == nil {
			err = json.Unmarshal(out, &back)
		}
		if err != nil || len(back) != 2 || back[0] != back[1] ||
			back[0] != strings.ToValidUTF8(s, "\ufffd") && !strings.Contains(back[0], "\ufffd") {
			t.Errorf("%q became %s, %v", s, out, err)
		}
	})
}

// TestIndices: the members of sets stand in the table, in JSON and in CSV.
func TestIndices(t *testing.T) {
	arcs := lang.Axis{{"rome", 1}, {"oslo", 4}}
	r := Report{Variables: []Block{
		{Name: "x", Shape: nil, Origin: nil, V: []float64{1}, Axes: nil, Im: nil},
		{Name: "f", Shape: []int{2, 2}, Origin: []int{1, 0}, V: []float64{1, 2, 3, 4}, Axes: []lang.Axis{arcs, nil}, Im: nil},
		{Name: "g", Shape: []int{2}, Origin: nil, V: []float64{5, 6}, Axes: []lang.Axis{arcs}, Im: nil},
	}}
	var table, csv strings.Builder
	for _, b := range r.Variables {
		b.Text(&table, false)
	}
	r.CSV(&csv)
	if want := "x = 1\nf[\"rome\",1,:] = 1 2\nf[\"oslo\",4,:] = 3 4\ng[\"rome\",1] = 5\ng[\"oslo\",4] = 6\n"; table.String() != want {
		t.Errorf("the table is\n%s want\n%s", &table, want)
	}
	if want := "variable,index,value\nx,,1\nf,rome 1 0,1\nf,rome 1 1,2\nf,oslo 4 0,3\nf,oslo 4 1,4\ng,rome 1,5\ng,oslo 4,6\n"; csv.String() != want {
		t.Errorf("CSV is\n%s want\n%s", &csv, want)
	}
	got, err := Line(IndicesOf(r.Variables))
	if want := `{"f":[[["rome",1],["oslo",4]],null],"g":[[["rome",1],["oslo",4]]]}` + "\n"; err != nil || string(got) != want {
		t.Errorf("JSON is %s, %v, want %s", got, err, want)
	}
}

// TestStatusColour: colours tell the outcomes apart, and are there only where they are wanted.
func TestStatusColour(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		r     record.Record
		color bool
		want  string
	}{
		{record.Record{Status: "converged"}, false, "converged"},
		{record.Record{Status: "converged"}, true, "\x1b[32mconverged\x1b[0m"},
		{record.Record{Status: "stalled", Feasible: &yes}, true, "\x1b[33mstalled\x1b[0m"},
		{record.Record{Status: "infeasible", Feasible: &no}, true, "\x1b[31minfeasible\x1b[0m"},
	} {
		r := Report{Record: c.r, Color: c.color}
		if got := r.StatusText(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestInterrupt: the reason is one that the status may have, whatever the best start ended with.
func TestInterrupt(t *testing.T) {
	r := &Report{Record: record.Record{Status: "converged", Reason: "stationary"}}
	if r.Interrupt(); r.Status != "cancelled" || r.Reason != "cancelled" || r.Message == "" {
		t.Errorf("%s, as %s: %q", r.Status, r.Reason, r.Message)
	}
}
