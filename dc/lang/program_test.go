package lang

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// TestLets: the values of what let names, at a point.
func TestLets(t *testing.T) {
	p := mustCompile(t, `
param A = [1 2; 3 4]
var x[0..1], y
let r[i in 0..1] = x[i] - i
let s = A*x
let d = sum(A)
let f[i in 1..2, j in 0..1] = abs(x[j] - i)*y
minimize y
`, Options{})
	x := []float64{5, -2, 3}
	want := map[string][]float64{"r": {5, -3}, "s": {1, 7}, "d": {10}, "f": {12, 9, 9, 12}}
	if len(p.Lets) != len(want) {
		t.Errorf("%d lets", len(p.Lets))
	}
	for k := range p.Lets {
		l := &p.Lets[k]
		if got := l.Values(x); !slices.EqualFunc(got, want[l.Name], func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) || value.Size(l.Shape) != len(got) {
			t.Errorf("%s is %v of shape %v, want %v", l.Name, got, l.Shape, want[l.Name])
		}
	}
	if f := p.Lets[3]; f.Name != "f" || !slices.Equal(f.Shape, []int{2, 2}) || !slices.Equal(f.Origin, []int{1, 0}) {
		t.Errorf("%s has shape %v from %v", f.Name, f.Shape, f.Origin)
	}
}

// TestStarts: Options.Start goes before what the file says.
func TestStarts(t *testing.T) {
	const src = "var x[2,2] start normal(0, 1), y start 7, S[2,2] symmetric start eye(2), z[1,3]\nminimize y"
	given := map[string]Start{
		"x": {Shape: []int{2, 2}, Values: []float64{1, 2, 3, 4}}, "S": {Shape: []int{4}, Values: []float64{1, 2, 2, 3}},
		"z": {Shape: []int{3}, Values: []float64{8, 9, 10}}, "unknown": {Values: []float64{1}},
	}
	p := mustCompile(t, src, Options{Start: given})
	if got, want := p.Problem.Start(1), []float64{1, 2, 3, 4, 7, 1, 2, 3, 8, 9, 10}; !slices.Equal(got, want) {
		t.Errorf("starts at %v, want %v", got, want)
	}
	for name, bad := range map[string]Start{
		"x: 2 x 2, its start from f is 4 x 1": {Shape: []int{4, 1}, Values: make([]float64, 4), From: "f"},
		"x: 2 x 2, its start from f is 3":     {Shape: []int{3}, Values: make([]float64, 3), From: "f"},
		"S: its start is not":                 {Shape: []int{4}, Values: []float64{1, 2, 5, 3}},
	} {
		v, what, _ := strings.Cut(name, ": ")
		f, err := Parse("s.dc", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(context.Background(), f, Options{Start: map[string]Start{v: bad}}); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s from %v: %v", v, bad, err)
		}
	}
}

// TestPlots: the arguments of plots are evaluated at a point, by their roles.
func TestPlots(t *testing.T) {
	p := mustCompile(t, `
param t = [1, 2, 3], q = [0 0; 1 1]
var x[3] in [0, 1], s in [0, 1], P[2,2]
minimize sum(x) + s
plot points(t, x) "data", path(2*t, x^2)  title "T" xlabel "time"
subject to
  sum(x) >= 1
plot circles(P, s), links(q, P, [1 0; 0 x[1]]), points([s, 2*s]), circles(0, s, 3)
plot signal(x), bars(t, q'*P*[1 0 0; 0 0 1]), fit(t, x, t .* x), matrix(t, s*[1, 2], q*[t; x]), motion(q, s)  ylabel "value"
`, Options{})
	if len(p.Plots) != 3 || p.Problem.NumVars() != 8 || len(p.Families) != 1 {
		t.Fatalf("%d plots, %d variables, %d families", len(p.Plots), p.Problem.NumVars(), len(p.Families))
	}
	if a := p.Plots[0]; a.Title != "T" || a.XLabel != "time" || a.YLabel != "" || a.Place.Line != 5 || a.Marks[0].Label != "data" || a.Marks[1].Text != "path(2*t, x^2)" {
		t.Errorf("the first plot is %+v", a)
	}
	at := []float64{0.5, 0.25, 1, 0.75, 1, 2, 3, 4}
	want := map[string][][]float64{
		"points(t, x)":                  {{1, 2, 3}, {0.5, 0.25, 1}},
		"path(2*t, x^2)":                {{2, 4, 6}, {0.25, 0.0625, 1}},
		"circles(P, s)":                 {{1, 2, 3, 4}, {0.75}},
		"links(q, P, [1 0; 0 x[1]])":    {{0, 0, 1, 1}, {1, 2, 3, 4}, {1, 0, 0, 0.5}},
		"points([s, 2*s])":              {{0.75, 1.5}},
		"circles(0, s, 3)":              {{0}, {0.75}, {3}},
		"signal(x)":                     {{0.5, 0.25, 1}},
		"bars(t, q'*P*[1 0 0; 0 0 1])":  {{1, 2, 3}, {3, 0, 4, 3, 0, 4}},
		"matrix(t, s*[1, 2], q*[t; x])": {{1, 2, 3}, {0.75, 1.5}, {0, 0, 0, 1.5, 2.25, 4}},
		"motion(q, s)":                  {{0, 0, 1, 1}, {0.75}},
		"fit(t, x, t .* x)":             {{1, 2, 3}, {0.5, 0.25, 1}, {0.5, 0.5, 3}},
	}
	for _, plot := range p.Plots {
		for _, m := range plot.Marks {
			var got [][]float64
			for _, c := range m.Places {
				for _, l := range []*Let{c.XY, c.X, c.Y} {
					if l != nil {
						got = append(got, l.Values(at))
					}
				}
			}
			for k := range m.Values {
				got = append(got, m.Values[k].Values(at))
			}
			text, _, _ := strings.Cut(m.Text, ` "`)
			if !slices.EqualFunc(got, want[text], slices.Equal[[]float64]) {
				t.Errorf("%s is drawn with %v, want %v", text, got, want[text])
			}
			delete(want, text)
		}
	}
	for text := range want {
		t.Errorf("%s is missing", text)
	}
}

// TestParams: data are known by name, as they were declared.
func TestParams(t *testing.T) {
	p := mustCompile(t, "param n = 2, r = [1, 2], w[i in 0..1] = i\nset I = 1..n\nvar x\nminimize x^2", Options{Set: map[string]string{"r": "[3, 4, 5]"}})
	var got []string
	for _, d := range p.Params {
		got = append(got, fmt.Sprint(d.Name, d.Shape, d.Origin, d.Values(nil)))
	}
	if want := []string{"n[] [] [2]", "r[3] [] [3 4 5]", "w[2] [0] [0 1]"}; !slices.Equal(got, want) {
		t.Errorf("the data are %q, want %q", got, want)
	}
}

// TestFileOfLostName: a name whose declaration could not be read, in the place of a file.
func TestFileOfLostName(t *testing.T) {
	ds := diagnose(t, "lost.dc", []byte("var x start csv(z)\nvar z z\nminimize x"), Options{})
	if len(ds) != 1 || ds[0].Line != 2 {
		t.Errorf("the mistakes are %v", ds)
	}
}
