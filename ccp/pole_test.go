package ccp_test

import (
	"context"
	"math"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// TestPoles: an objective that falls to minus infinity at the boundary of a domain is unbounded,
// wherever that lies; one that is finite there, or whose pole the constraints exclude, has a
// minimum.
func TestPoles(t *testing.T) {
	num := dc.Num
	for _, c := range []struct {
		name string
		want float64 // -Inf: unbounded
		make func(m *dc.Model)
	}{
		{"no bounds", math.Inf(-1), func(m *dc.Model) {
			x := m.Var("x", nil)
			m.Minimize(dc.Log(x).Add(dc.Square(x)))
		}},
		{"a line", math.Inf(-1), func(m *dc.Model) {
			x := m.Var("x", []int{2})
			m.Minimize(dc.Log(x.At(0).Sub(x.At(1))).Add(dc.SumSquares(x)))
		}},
		{"a line in a disc", math.Inf(-1), func(m *dc.Model) {
			x := m.Var("x", []int{2})
			m.Minimize(dc.Log(x.At(0).Sub(x.At(1))))
			m.SubjectTo(dc.LE(dc.SumSquares(x), num(1)))
		}},
		{"a circle", math.Inf(-1), func(m *dc.Model) {
			x := m.Var("x", []int{2})
			m.Minimize(dc.Log(dc.Norm2(x).Neg().Add(num(1))))
		}},
		{"a parabola", math.Inf(-1), func(m *dc.Model) {
			x := m.Var("x", nil)
			m.Minimize(dc.Log(dc.Square(x).Neg().Add(num(1))))
		}},
		{"a corner", math.Inf(-1), func(m *dc.Model) {
			x := m.Var("x", []int{2})
			m.Minimize(dc.Log(dc.Min(x.At(0), x.At(1))).Add(dc.SumSquares(x)))
		}},
		{"an inverse", math.Inf(-1), func(m *dc.Model) {
			x := m.Var("x", []int{2})
			m.Minimize(dc.InvPos(x.At(0).Add(x.At(1).Scale(2))).Neg().Add(dc.SumSquares(x)))
		}},
		{"singular matrices", math.Inf(-1), func(m *dc.Model) {
			x, y := m.Var("X", []int{3, 3}, dc.PSD()), m.Var("Y", []int{2, 2}, dc.PSD())
			m.Minimize(dc.LogDet(x).Sub(dc.LogDet(y)))
			m.SubjectTo(dc.LE(x.Diag().Sum(), num(4)), dc.LE(y.Diag().Sum(), num(4)), dc.GE(x.At(0, 0), num(1)))
		}},
		{"a constraint in the way", math.Log(0.1), func(m *dc.Model) {
			x := m.Var("x", []int{2})
			m.Minimize(dc.Log(x.At(0)).Add(dc.Square(x.At(1))))
			m.SubjectTo(dc.GE(x.At(0), dc.Square(x.At(1)).Add(num(0.1))))
		}},
		{"a domain that ends later", math.Log(1e-4) + 2*math.Log(1e-4), func(m *dc.Model) {
			x := m.Var("x", []int{3}, dc.AtLeast(0))
			log := func(k int) dc.Expr { return dc.Log(x.At(k).Add(num(1e-4))) }
			m.Minimize(dc.Sum(log(0), log(1), log(2)))
		}},
		{"a root", 0, func(m *dc.Model) {
			x := m.Var("x", []int{2})
			m.Minimize(dc.Sqrt(dc.Norm2(x).Neg().Add(num(1))))
		}},
	} {
		m := dc.NewModel()
		c.make(m)
		res, err := ccp.Multistart(context.Background(), build(t, m), ccp.Automatic, ccp.DefaultSettings())
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case math.IsInf(c.want, -1) != (res.Status == ccp.Unbounded):
			t.Errorf("%s: %v with %g, %s", c.name, res.Status, res.Objective, res.Message)
		case res.Status != ccp.Unbounded && !(math.Abs(res.Objective-c.want) <= 1e-5*max(1, math.Abs(c.want))):
			t.Errorf("%s: %v with %g, want %g", c.name, res.Status, res.Objective, c.want)
		}
	}
}

// TestNextToPoles: next to a pole rounding errors neither keep a constraint nor make a minimum.
func TestNextToPoles(t *testing.T) {
	m := dc.NewModel()
	y := m.Var("y", nil, dc.AtLeast(0), dc.AtMost(3), dc.StartAt(0.5))
	m.Minimize(dc.Quotient(dc.Num(1), y.Shift(-1)))
	p, err := m.Problem()
	if err != nil {
		t.Fatal(err)
	}
	res, err := ccp.Multistart(context.Background(), p, 5, ccp.DefaultSettings())
	if err != nil || res.Status == ccp.Converged {
		t.Errorf("1/(y - 1) has the minimum %g: %v, %v", res.Objective, res.Status, err)
	}
	m = dc.NewModel()
	x := m.Var("x", []int{2})
	m.SubjectTo(dc.LE(dc.Quotient(x.At(0).Scale(3).Shift(-4), dc.SumSquares(x).Shift(-1)), -1.9))
	if p, err = m.Problem(); err != nil {
		t.Fatal(err)
	}
	if at := []float64{1 - 0x1p-49, 0}; p.Feasible(at, 1e-6) {
		v, _ := p.Violation(at)
		t.Errorf("a point that breaks the constraint by %g is feasible", v)
	}
}
