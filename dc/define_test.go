package dc_test

import (
	"context"
	"testing"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/expr"
)

// TestEquationsThatDefine: a variable that an equation gives its value is
// computed, and what uses it has the split of its definition.
func TestEquationsThatDefine(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(-1), dc.AtMost(2))
	s := m.Var("s", nil, dc.AtMost(3))
	u := m.Var("u", nil)
	product := dc.Mul(x.At(0), x.At(1))
	m.Minimize(dc.Sum(s.Scale(2), u))
	m.SubjectTo(
		dc.EQ(s, product).Named("s"),
		dc.EQ(dc.Sum(u.Scale(-2), dc.Abs(x.At(0))), dc.Num(1)).Named("u"),
		dc.LE(dc.Sum(u, dc.Norm1(x)), dc.Num(9)).Named("c"),
	)
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	at := []float64{-0.5, 1.5, 99, 99}
	p.Program().Pin(at)
	if at[2] != -0.75 || at[3] != -0.25 {
		t.Errorf("s and u are %v, want -0.75 and -0.25", at[2:])
	}
	if v, name := p.Violation(at); v != 0 {
		t.Errorf("the pinned point breaks %s by %g", name, v)
	}
	for _, e := range []expr.Scalar{p.Program().Objective, p.Program().Constraints[4].Function()} {
		g, h := e.G(), e.H()
		if d := e.Value(at) - (g.Value(at) - h.Value(at)); d > 1e-14 || d < -1e-14 {
			t.Errorf("the split is off by %g", d)
		}
		for _, j := range append(g.Support(), h.Support()...) {
			if j >= 2 {
				t.Errorf("variable %d is still in a split", j)
			}
		}
	}
	// s ≤ 3 says something of the product, and nothing else does: its range is
	// [-2, 4].
	all := p.Program().Constraints
	if last := all[len(all)-1]; len(all) != 6 || last.Name() != "s" || last.Value(at) != -3.75 {
		t.Errorf("%d constraints, the last is %s at %g", len(all), last.Name(), last.Value(at))
	}
}

// TestBoundDefined: rounding errors of a definition do not leave its variable outside its bounds.
func TestBoundDefined(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", nil, dc.AtLeast(0), dc.AtMost(1))
	s := m.Var("s", nil, dc.AtLeast(-1), dc.AtMost(0.3))
	m.Minimize(s.Neg())
	m.SubjectTo(dc.EQ(s, dc.Square(x)))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if at := []float64{0.5, 0.3 + 1e-13}; !p.Program().BoundDefined(at) || at[1] != 0.3 || at[0] != 0.5 {
		t.Errorf("moved to %v", at)
	}
	if at := []float64{1.5, 0.25}; p.Program().BoundDefined(at) || at[0] != 1.5 {
		t.Errorf("moved to %v, which no equation defines", at)
	}
}

// TestEquationsThatDoNotDefine: a variable in an affine row, or within a
// function, stays.
func TestEquationsThatDoNotDefine(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2})
	s := m.Var("s", []int{2})
	m.Minimize(dc.Abs(s.At(1)))
	m.SubjectTo(dc.LE(s.At(0), dc.Num(1)))
	for k := range 2 {
		m.SubjectTo(dc.EQ(s.At(k), dc.Abs(x.At(k))))
	}
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	at := []float64{1, 2, 3, 4}
	p.Program().Pin(at)
	if at[2] != 3 || at[3] != 4 {
		t.Errorf("pinned to %v", at)
	}
}

// TestDefinitionsBesideMajorants: a constraint with a majorant does not become convex
// by a definition that is put into it.
func TestDefinitionsBesideMajorants(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2})
	s := m.Var("s", nil)
	square := dc.Square(x.At(1).Sub(dc.Num(1)))
	far := dc.Square(dc.Square(x.At(0)).Neg().Add(x.At(1))) // (x₁ − x₀²)²
	m.Minimize(square)
	m.SubjectTo(dc.EQ(s, dc.Abs(x.At(0))), dc.LE(dc.Sum(far, s), dc.Num(4)).Named("c"))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if c := p.Program().Constraints[2]; c.Name() != "c" || c.Function().IsConvex() || c.Convex() {
		t.Errorf("%s is convex", c.Name())
	}
}
