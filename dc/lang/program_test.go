package lang

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
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
		if got := l.Values(x); !slices.EqualFunc(got, want[l.Name], func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) || size(l.Shape) != len(got) {
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
