package dc_test

import (
	"context"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/dc"
)

// Assign changes an instance as With makes another problem, and nothing else.
func TestAssign(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(-3), dc.AtMost(3))
	a, b := m.Param("a", []int{2}, 1, 2), m.Param("b", nil, 5)
	m.Minimize(dc.SumSquares(x.Sub(a.Expr)).Sub(dc.Abs(x.At(0).Sub(b.Expr))))
	m.SubjectTo(dc.LE(dc.Square(dc.SumSquares(x)), b))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	q := p.Instance()
	exact := q.Exact()
	if err := q.Program().Assign(map[string][]float64{"a": {7, -8}, "b": {.5}}); err != nil {
		t.Fatal(err)
	}
	want, err := p.With("a", 7, -8)
	if err == nil {
		want, err = want.With("b", .5)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]*dc.Problem{"instance": q, "exact": exact} {
		at, other := []float64{1, -2, 0, 0, 0}, []float64{1, -2, 0, 0, 0}
		got.Program().Pin(at)
		want.Program().Pin(other)
		if !slices.Equal(at, other) || got.Program().Violations(at).Excess != want.Program().Violations(at).Excess ||
			got.Program().ObjectiveUnit(at) != want.Program().ObjectiveUnit(at) {
			t.Errorf("%s: %v, want %v", name, at, other)
		}
		lo, hi := got.Box()
		wantLo, wantHi := want.Box()
		if !slices.Equal(lo, wantLo) || !slices.Equal(hi, wantHi) {
			t.Errorf("%s: %v to %v, want %v to %v", name, lo, hi, wantLo, wantHi)
		}
	}
	if v := p.Program().Vars[1].Lo; v[0] != 1 || v[1] != 2 {
		t.Errorf("the problem has changed: %v", v)
	}
	for name, wrong := range map[string]map[string][]float64{
		"length": {"b": {1}, "a": {1, 2, 3}}, "variable": {"b": {1}, "x": {1, 2}}, "name": {"b": {1}, "c": {1}},
	} {
		if q.Program().Assign(wrong) == nil || q.Program().Vars[2].Lo[0] != .5 {
			t.Errorf("%s: no error, or b is %v", name, q.Program().Vars[2].Lo)
		}
	}
}
