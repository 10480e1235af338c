package dc_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/dc"
)

// TestBox: rows of one variable narrow its bounds, rounded outward, and neither those
// that leave nothing nor those of parameters do.
func TestBox(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name   string
		rows   func(x dc.Expr, p dc.Param) []dc.Constraint
		lo, hi float64
	}{
		{"none", func(dc.Expr, dc.Param) []dc.Constraint { return nil }, -10, inf},
		{"a sign", func(x dc.Expr, _ dc.Param) []dc.Constraint { return []dc.Constraint{dc.GE(x, dc.Num(0))} }, 0, inf},
		{"a negative factor", func(x dc.Expr, _ dc.Param) []dc.Constraint {
			return []dc.Constraint{dc.GE(x.Scale(-2), dc.Num(-6))}
		}, -10, 3},
		{"a constant beside", func(x dc.Expr, _ dc.Param) []dc.Constraint {
			return []dc.Constraint{dc.Between(dc.Num(1), x.Scale(4).Add(dc.Num(3)), dc.Num(5))}
		}, -0.5, 0.5},
		{"an equation", func(x dc.Expr, _ dc.Param) []dc.Constraint { return []dc.Constraint{dc.EQ(x, dc.Num(4))} }, 4, 4},
		{"less than the bound", func(x dc.Expr, _ dc.Param) []dc.Constraint { return []dc.Constraint{dc.GE(x, dc.Num(-20))} }, -10, inf},
		{"nothing is left", func(x dc.Expr, _ dc.Param) []dc.Constraint {
			return []dc.Constraint{dc.GE(x, dc.Num(5)), dc.LE(x, dc.Num(3))}
		}, 5, inf},
		{"two variables", func(x dc.Expr, p dc.Param) []dc.Constraint { return []dc.Constraint{dc.GE(x, p)} }, -10, inf},
		{"a parameter alone", func(_ dc.Expr, p dc.Param) []dc.Constraint { return []dc.Constraint{dc.LE(p, dc.Num(0))} }, -10, inf},
	} {
		m := dc.NewModel()
		x, p := m.Var("x", nil, dc.AtLeast(-10)), m.Param("p", nil, 1)
		m.Minimize(dc.Square(x))
		m.SubjectTo(c.rows(x, p)...)
		q, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(c.name, err)
		}
		if lo, hi := q.Box(); lo[0] != c.lo || hi[0] != c.hi || lo[1] != 1 || hi[1] != 1 {
			t.Errorf("%s: x in [%g, %g], p in [%g, %g], want x in [%g, %g], p = 1", c.name, lo[0], hi[0], lo[1], hi[1], c.lo, c.hi)
		}
		other, err := q.With("p", 2)
		if err != nil {
			t.Fatal(err)
		}
		if lo, hi := other.Box(); lo[1] != 2 || hi[1] != 2 {
			t.Errorf("%s: with p = 2 it is in [%g, %g]", c.name, lo[1], hi[1])
		}
	}
}

// TestBoxHoldsRows: no number that meets a row in exact arithmetic is outside the box.
// Numbers are a/b with few bits, so that products are exact.
func TestBoxHoldsRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	for range 1000 {
		a, c, x := float64(rng.IntN(2000)-1000), float64(rng.IntN(2000)-1000), float64(rng.IntN(1<<20))/1024
		if a == 0 {
			continue
		}
		m := dc.NewModel()
		v := m.Var("x", nil)
		m.SubjectTo(dc.EQ(v.Scale(a).Add(dc.Num(c)), dc.Num(a*x+c)))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if lo, hi := p.Box(); lo[0] != x || hi[0] != x { // exact, so that it is a number
			t.Fatalf("%g*x + %g == %g: x in [%v, %v]", a, c, a*x+c, lo[0], hi[0])
		}
		m = dc.NewModel()
		v = m.Var("x", nil)
		m.SubjectTo(dc.EQ(v.Scale(3*a), dc.Num(1)))
		if p, err = m.Problem(context.Background()); err != nil {
			t.Fatal(err)
		}
		lo, hi := p.Box()
		if !(math.FMA(3*math.Abs(a), math.Copysign(1, a)*lo[0], -1)*math.FMA(3*math.Abs(a), math.Copysign(1, a)*hi[0], -1) <= 0) || hi[0] > math.Nextafter(math.Nextafter(lo[0], math.Inf(1)), math.Inf(1)) {
			t.Fatalf("%g*x == 1: x in [%v, %v]", 3*a, lo[0], hi[0])
		}
	}
}

// TestAgain: a model that is stated once more knows the bounds of rows from the start, and
// wants the rows.
func TestAgain(t *testing.T) {
	state := func(m *dc.Model, row bool) (*dc.Problem, error) {
		x, y := m.Var("x", nil), m.Var("y", nil)
		m.Minimize(dc.Square(dc.Square(x).Add(y)))
		if row {
			m.SubjectTo(dc.GE(y, dc.Num(0)))
		}
		return m.Problem(context.Background())
	}
	m := dc.NewModel()
	first, err := state(m, true)
	if err != nil || first.Program().Objective.IsConvex() {
		t.Fatalf("the square of x² + y without a sign: convex %v, %v", first.Program().Objective.IsConvex(), err)
	}
	again, ok := m.Again()
	if !ok {
		t.Fatal("no other model for a row after the function")
	}
	second, err := state(again, true)
	if err != nil || !second.Program().Objective.IsConvex() {
		t.Errorf("with y ≥ 0 known: convex %v, %v", second.Program().Objective.IsConvex(), err)
	}
	if _, ok := again.Again(); ok {
		t.Error("a third model, although the second knew all")
	}
	again, _ = m.Again()
	if _, err := state(again, false); err == nil {
		t.Error("a model without its row passes")
	}
	m = dc.NewModel()
	x := m.Var("x", nil)
	m.SubjectTo(dc.GE(x, dc.Num(0)))
	m.Minimize(dc.Square(dc.Square(x).Add(x)))
	if _, ok := m.Again(); ok {
		t.Error("another model, although the row came first")
	}
}
