package verify_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp/global/prooffile"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/internal/shared"
)

var forged = flag.Int("forged", 200, "forged proofs of TestForgedProofsShowNoMore, for each problem")

// proofOf is a proof file with the right checksum.
func proofOf(t testing.TB, lines ...any) *bytes.Buffer {
	t.Helper()
	var text, b bytes.Buffer
	for _, l := range lines {
		if s, ok := l.(string); ok {
			text.WriteString(s + "\n")
		} else if err := json.NewEncoder(&text).Encode(l); err != nil {
			t.Fatal(err)
		}
	}
	w := gzip.NewWriter(&b)
	if _, err := fmt.Fprintf(w, "%s{\"sha256\":\"%x\"}\n", text.Bytes(), sha256.Sum256(text.Bytes())); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

type object = map[string]any

// forger draws proofs.
type forger struct {
	*rand.Rand
	vars     []string
	n, terms int
	rare     int // one number of so many is changed
}

// number has any size, often that of numbers in problems.
func (f *forger) number() float64 {
	switch f.IntN(12) {
	case 0:
		return 0
	case 1:
		return math.Ldexp(f.Float64()-0.5, f.IntN(2080)-1060)
	case 2:
		return math.Ldexp(1-2*float64(f.IntN(2)), f.IntN(2000)-1000)
	case 3:
		return math.MaxFloat64
	case 4, 5, 6:
		return float64(f.IntN(9) - 4)
	}
	return math.Exp(3*f.NormFloat64()) * float64(1-2*f.IntN(2))
}

func (f *forger) list(n int) object {
	var idx []int
	var val []float64
	for range f.IntN(4) {
		if n > 0 {
			idx, val = append(idx, f.IntN(n)), append(val, f.number())
		}
	}
	return object{"i": idx, "v": val}
}

func (f *forger) header(maximize bool) object {
	h := object{"format": "dcopt proof", "version": 3 + f.IntN(3), "maximize": maximize}
	var vars []object
	for _, v := range f.vars {
		vars = append(vars, object{"name": v, "len": 1})
	}
	h["variables"] = vars
	if f.IntN(3) == 0 {
		h["upper"] = f.number()
	}
	if f.IntN(3) > 0 {
		h["bound"] = f.number()
	}
	if f.IntN(3) == 0 {
		var box [][2]float64
		for range f.n {
			box = append(box, [2]float64{f.number(), f.number()})
			if f.IntN(2) == 0 {
				box[len(box)-1] = [2]float64{-1e4, 1e4}
			}
		}
		h["box"] = box
	}
	var terms []object
	for f.terms = 0; f.terms < f.IntN(8); f.terms++ {
		t := f.list(f.n + f.terms)
		t["o"], t["p"], t["c"], t["a"], t["b"] = f.IntN(29), f.number(), f.number(), f.IntN(f.n+f.terms), f.IntN(f.n+f.terms)
		if f.IntN(2) == 0 {
			t["p"] = []float64{1.5, 0.5, 3, -1, 7, 6}[f.IntN(6)]
		}
		if f.IntN(3) == 0 {
			t["n"] = []string{"", "sin", "tanh", "exp", "log10", "atanh"}[f.IntN(6)]
		}
		terms = append(terms, t)
	}
	h["terms"] = terms
	var rows []object
	for range f.IntN(4) {
		r := f.list(f.n + f.terms)
		r["c"], r["hi"], r["lo"] = f.number(), f.number(), f.number()
		rows = append(rows, r)
	}
	h["rows"] = rows
	return h
}

func (f *forger) leaf(rows int) object {
	l := object{"c": math.Abs(f.number())}
	if f.IntN(8) == 0 {
		l["e"] = true
	}
	if f.IntN(4) == 0 {
		l["b"] = f.IntN(3)
	}
	all := f.n + f.terms
	for key, n := range map[string]int{"y": rows, "h": f.terms, "z": f.terms, "x": all, "f": f.terms, "g": f.terms} {
		if f.IntN(2) == 0 {
			l[key] = f.list(n)
		}
	}
	if f.IntN(4) == 0 {
		l["w"] = object{fmt.Sprint(f.IntN(all)): []float64{f.number(), f.number()}}
	}
	if f.IntN(4) == 0 {
		l["q"] = []object{f.list(f.n)}
	}
	if f.IntN(4) == 0 && f.n > 2 {
		l["t"] = [][]float64{{float64(f.IntN(4)), 0, 1, 2, math.Abs(f.number()), f.number(), f.number(), f.number(), f.number(), f.number(), f.number()}}
	}
	return l
}

func (f *forger) tree(depth, rows int, lines []any) []any {
	if depth == 0 || f.IntN(3) == 0 {
		return append(lines, f.leaf(rows))
	}
	lines = append(lines, object{"s": f.IntN(f.n + f.terms), "at": f.number()})
	return f.tree(depth-1, rows, f.tree(depth-1, rows, lines))
}

// change replaces some of the numbers of a line.
func (f *forger) change(v any) any {
	switch v := v.(type) {
	case float64:
		if f.IntN(f.rare) > 0 {
			return v
		}
		if v == math.Trunc(v) && f.IntN(2) == 0 {
			return float64(f.IntN(6))
		}
		return f.number()
	case []any:
		for k := range v {
			v[k] = f.change(v[k])
		}
	case object:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			v[k] = f.change(v[k])
		}
	}
	return v
}

// proved is the lines of the proof of a problem, without the checksum.
func proved(t *testing.T, src string) (lines []string) {
	t.Helper()
	p := compiled(t, src)
	if p == nil {
		t.Fatal(src)
	}
	set := ccp.DefaultSettings()
	set.Global.Proof, set.Global.MaxNodes = true, 30
	res, err := global.Solve(context.Background(), p, nil, 1, set)
	if err != nil {
		return nil
	}
	var b bytes.Buffer
	if err := prooffile.Write(&b, res.Proof); err != nil {
		t.Fatal(err)
	}
	lines = strings.Split(strings.TrimSuffix(string(unzipped(t, b.Bytes())), "\n"), "\n")
	return lines[:len(lines)-1]
}

// TestForgedProofsShowNoMore: proofs of any contents with the right checksum end without a panic,
// and show no bound that a feasible point is better than.
func TestForgedProofsShowNoMore(t *testing.T) {
	shown := 0
	for k, body := range shared.Sample(t, 4, []string{
		"var x in [0, 10], y in [0, 10], z in [0, 1]\nminimize (x-3)^2 + (y-2)^2 + x*y*z - y*z\nsubject to\n  c: x + y <= 4\n",
		"var x in [-1, 2], y in [0.5, 3], z in [0, 4]\nmaximize exp(x) - x*y + log(y) - z^1.5 + sqrt(z)\nsubject to\n  a: x^2 + y <= 3\n  b: x + z >= 0.25\n",
		"var x in [-5, 5], y in [1e-300, 1], z\nminimize abs(x) + z^2 - log(y) + max(x, y, z - 1) - 1e-3*x^3\nsubject to\n  a: x + y + z >= 1\n",
		"var x in [0, 1e300], y in [-800, 800], z in [1, 1e200]\nminimize logistic(y) + 1e-290*x - x^0.1 + z^-0.5\nsubject to\n  a: y >= 1e-3*x\n",
		"var x in [0, 2], y in [0.1, 3], z in [-2, 2]\nminimize kl(x, y) + quadoverlin([x, z], y) - norm2([x, z]) + lse([x, y, z]) + huber(z, 0.5) - entr(x)\n",
		"var x in [0, 2000], y in [-1, 1], z in [0, 1]\nminimize exp(x) - 3*y^7 + y^6 + z^0.3333 - norminf([y, z])\nsubject to\n  a: x + y >= 709.5\n",
		"var x in [0, 9], y in [-1.5, 1.5], z in [-3, 3]\nminimize sin(3*x) - y*tanh(z) + tan(y) - log1p(z + 3.5) + normcdf(x - 2)*sigmoid(y)\nsubject to\n  a: erf(y) + atan(x) <= 2\n",
		"var x in [-1e8, 1e8], y in [0, 3], z in [0, 0.999]\nmaximize cos(x) - sinh(y) + cosh(z)*asinh(x) - expm1(y) + atanh(z) + log10(y + 1)\nsubject to\n  a: log2(y + 0.1) >= -3\n",
		"var x in [0, 1e-300], y in [0, 1e-310], z in [0, 0.001]\nminimize 1e300*x - log(y + z) + x*z\nsubject to\n  c: exp(x) + y <= 2\n",
	}) {
		p := read(t, body)
		f := &forger{Rand: rand.New(rand.NewPCG(uint64(k), 77)), vars: []string{"x", "y", "z"}, n: 3}
		best := math.Inf(1)
		for n := 0; n < 300 || math.IsInf(best, 1) && n < 3000; n++ {
			x := []float64{f.number(), f.number(), f.number()}
			switch f.IntN(4) {
			case 0:
				x = []float64{10 * f.Float64(), 3 * f.Float64(), 2*f.Float64() - 1}
			case 1:
				x = []float64{709 + f.Float64(), f.Float64(), f.Float64()}
			case 2:
				x = []float64{1e-300 * f.Float64(), 1e-310 * f.Float64(), 1e-3 * f.Float64()}
			}
			pt, err := p.Evaluate(x)
			if err != nil || pt.Violation > 0 || pt.Outside != "" {
				continue
			}
			if v := pt.Hi; !p.Maximize {
				best = min(best, v)
			} else {
				best = min(best, -pt.Lo)
			}
		}
		if math.IsInf(best, 1) {
			t.Errorf("problem %d: no feasible point", k)
		}
		honest := proved(t, body)
		for n := range *forged {
			h := f.header(p.Maximize)
			lines := f.tree(f.IntN(4), len(h["rows"].([]object)), []any{h})
			if n%2 == 0 && honest != nil {
				lines, f.rare = lines[:0], 1<<f.IntN(12)
				for _, l := range honest {
					var v any
					if err := json.Unmarshal([]byte(l), &v); err != nil {
						t.Fatal(err)
					}
					lines = append(lines, f.change(v))
				}
			}
			out, err := p.Proof(context.Background(), proofOf(t, lines...))
			if err != nil {
				continue
			}
			lower := out.Lower
			if p.Maximize {
				lower = -lower
			}
			if lower > math.Inf(-1) {
				shown++
			}
			if !(lower <= best) {
				t.Fatalf("problem %d: a forged proof shows %.17g, a point has %.17g\n%s\n%s", k, lower, best, body, text(t, lines))
			}
		}
	}
	t.Logf("%d proofs show a bound", shown)
	if shown < *forged/10 {
		t.Errorf("only %d proofs show a bound", shown)
	}
}

func text(t *testing.T, lines []any) string {
	var b strings.Builder
	for _, l := range lines {
		s, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(s, '\n'))
	}
	return b.String()
}

// TestHostileProofs: files that are made to exhaust memory or to be misunderstood end with an error
// that says where.
func TestHostileProofs(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before) // tests before have taken some
	head := func(with object) object {
		h := object{"format": "dcopt proof", "version": 4, "bound": 0, "variables": []object{{"name": "x", "len": 1}}}
		maps.Copy(h, with)
		return h
	}
	leaf := object{"c": 1}
	many := func(n int, item string) string { return strings.Repeat(item+",", n-1) + item }
	var names []string
	for k := range 210_000 {
		names = append(names, fmt.Sprintf(`{"o":0,"i":[0],"v":[%d],"c":1}`, k+2))
	}
	columns := `{"format":"dcopt proof","version":4,"variables":[{"name":"x","len":1}],"terms":[` + strings.Join(names, ",") + `]}`
	var deep []any
	for k := range 1 << 8 {
		deep = append(deep, object{"s": 100, "at": 1 - 1e-5*float64(k)}, leaf)
	}
	wide := []object{}
	for k := range 1 << 10 {
		wide = append(wide, object{"o": 0, "i": []int{0}, "v": []float64{float64(k + 2)}, "c": 1})
	}
	for name, c := range map[string]struct {
		lines []any
		want  string
	}{
		"no header": {[]any{leaf}, "damaged at line 1"},
		"columns":   {[]any{columns, leaf}, "more than 200000 columns"},
		"terms":     {[]any{`{"terms":[` + many(1<<21, "{}") + `]}`}, "line 1: more than 1048576 lists"},
		"triangles": {[]any{head(nil), `{"c":1,"t":[` + many(1<<21, "[]") + `]}`},
			"line 2: more than 1048576 lists"},
		"a long line":     {[]any{strings.Repeat(" ", 1<<26)}, "line 1 has more than 33554432 bytes"},
		"nesting":         {[]any{head(nil), `{"z":` + strings.Repeat("[", 1<<17)}, "damaged at line 2"},
		"levels":          {append([]any{head(object{"terms": wide})}, deep...), "the tree has more than"},
		"endless splits":  {append([]any{head(nil)}, slices.Repeat([]any{object{"s": 0, "at": -1}}, 1<<16)...), "damaged at line 65538"},
		"two variables":   {[]any{head(object{"variables": []object{{"name": "x", "len": 1}, {"name": "x", "len": 1}}}), leaf}, `it has "x", or has it twice`},
		"a length":        {[]any{head(object{"variables": []object{{"name": "x", "len": -1}}}), leaf}, `"x" has 1 entries, not -1`},
		"no variables":    {[]any{head(object{"variables": nil}), leaf}, "it has 0 variables, not 1"},
		"a split":         {[]any{head(nil), object{"s": 1, "at": 0}, leaf, leaf}, "damaged at line 2"},
		"a level":         {[]any{head(nil), object{"c": 1, "b": -1}}, "damaged at line 2"},
		"a weight":        {[]any{head(nil), object{"c": -1}}, "damaged at line 2"},
		"a triangle":      {[]any{head(nil), object{"c": 1, "t": [][]float64{{1e300, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1}}}}, "damaged at line 2"},
		"shares":          {[]any{head(nil), object{"c": 1, "w": object{"-1": []int{1}}}}, "damaged at line 2"},
		"a column":        {[]any{head(object{"terms": []object{{"o": 1, "a": 1}}}), leaf}, "damaged at line 1"},
		"a function":      {[]any{head(object{"terms": []object{{"o": 29, "a": 0}}}), leaf}, "damaged at line 1"},
		"a name":          {[]any{head(object{"terms": []object{{"n": "gauss", "a": 0}}}), leaf}, "gauss is not known"},
		"a box":           {[]any{head(object{"box": [][]float64{{0, 1}, {0, 1}}}), leaf}, "damaged at line 1"},
		"another sense":   {[]any{head(object{"maximize": true}), leaf}, "the other maximises"},
		"another version": {[]any{head(object{"version": 7}), leaf}, "version 7"},
		"a line too many": {[]any{head(nil), leaf, leaf}, "damaged at line 3"},
		"a line too few":  {[]any{head(nil)}, "damaged at line 2"},
	} {
		p := read(t, "var x in [0, 1]\nminimize x^2\n")
		p.SetRoom(1 << 18)
		file := proofOf(t, c.lines...)
		if _, err := p.Proof(context.Background(), file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		runtime.GC() // what one file takes counts, not how much garbage there may be
	}
	if runtime.ReadMemStats(&after); after.HeapSys > before.HeapSys+1<<30 {
		t.Errorf("the heap has %d bytes, %d before", after.HeapSys, before.HeapSys)
	}
}

// TestNothingFalseIsShown: bounds near the ends of float64, where functions of the mathematical
// library are wrong, boxes and cutoffs of a file, and quotients whose denominators are negative.
func TestNothingFalseIsShown(t *testing.T) {
	for _, c := range []struct {
		src   string
		with  object
		point float64 // a feasible one
	}{
		{"var x in [1e-310, 1]\nminimize log(x)\n", nil, 1e-310},
		{"var x in [0, 1e-310]\nminimize -entr(x)\n", nil, 1e-310},
		{"var x in [709.5, 710]\nminimize exp(x)\n", nil, 709.5},
		{"var x in [-1000, -720]\nminimize logistic(x)\n", nil, -1000},
		{"var x in [0.9, 0.95]\nminimize x^100000\n", nil, 0.9},
		{"var x in [1e-300, 1]\nminimize x^1e-5\n", nil, 1e-300},
		{"var x in [-2, -1]\nminimize 1/x\n", nil, -1},
		{"var x in [-2, -1]\nfind\nsubject to\n c: 1/x <= 5\n", nil, -1.5},
		{"var x in [0, 1]\nminimize x\n", object{"box": [][]float64{{5, -5}}}, 0},
		{"var x in [0, 1]\nminimize x\n", object{"box": [][]float64{{0.5, 1}}}, 0},
		{"var x in [0, 1]\nminimize x\n", object{"upper": -5}, 0},
		{"var x in [0, 1]\nminimize x\n", object{"upper": 0.5, "box": [][]float64{{0, 0.25}}}, 0},
	} {
		p := read(t, c.src)
		pt, err := p.Evaluate([]float64{c.point})
		if err != nil || pt.Violation > 0 || pt.Outside != "" {
			t.Fatalf("%s: %+v, %v", c.src, pt, err)
		}
		h := object{"format": "dcopt proof", "version": 4, "variables": []object{{"name": "x", "len": 1}}, "terms": []object{}, "rows": []object{}}
		maps.Copy(h, c.with)
		for _, l := range []object{{"c": 1}, {"e": true}, {"c": 0}} {
			out, err := p.Proof(context.Background(), proofOf(t, h, l))
			if err != nil || !(out.Lower <= pt.Hi) {
				t.Errorf("%s%v %v: the proof shows %.17g, the point has %.17g, %v", c.src, c.with, l, out.Lower, pt.Hi, err)
			}
		}
	}
	// A power has a base that is not negative.
	for _, src := range []string{"var x in [-2, 1]\nminimize x^-1\n", "var x in [-2, 1]\nminimize invpos(x)\n", "var x in [-2, 1]\nminimize x^-3\n"} {
		if pt, err := read(t, src).Evaluate([]float64{-1}); err != nil || pt.Outside == "" {
			t.Errorf("%s: %+v, %v", src, pt, err)
		}
	}
	// A denominator of no known sign may have either.
	for x, want := range map[float64]float64{-1: -1, 0.5: 2, 0: 0} {
		pt, err := read(t, "var x in [-2, 1]\nminimize 1/x\n").Evaluate([]float64{x})
		if err != nil || (pt.Outside == "") != (x != 0) || x != 0 && !(pt.Lo <= want && want <= pt.Hi) {
			t.Errorf("1/x at %g: %+v, %v", x, pt, err)
		}
	}
}
