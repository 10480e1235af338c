package ccp_test

import (
	"context"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// TestNextToPoles: next to a pole rounding errors neither keep a constraint nor make a minimum.
func TestNextToPoles(t *testing.T) {
	m := dc.NewModel()
	y := m.Var("y", nil, dc.AtLeast(0), dc.AtMost(3), dc.StartAt(0.5))
	m.Minimize(dc.Quotient(dc.Num(1), y.Shift(-1)))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	res, err := ccp.Multistart(context.Background(), p, 5, ccp.DefaultSettings())
	if err != nil || res.Status == ccp.Converged {
		t.Errorf("1/(y - 1) has the minimum %g: %v, %v", res.Objective, res.Status, err)
	}
	m = dc.NewModel()
	z := m.Var("z", []int{2}, dc.AtLeast(-2), dc.AtMost(2))
	m.Minimize(dc.Log(z.At(0).Sub(dc.Square(z.At(1))).Shift(0.5)).Add(dc.SumSquares(z)))
	if p, err = m.Problem(context.Background()); err != nil {
		t.Fatal(err)
	}
	res, err = ccp.Multistart(context.Background(), p, 5, ccp.DefaultSettings())
	if err != nil || res.Status == ccp.Converged {
		t.Errorf("log(z1 - z2^2 + 1/2) has the minimum %g: %v, %v", res.Objective, res.Status, err)
	}
	m = dc.NewModel()
	x := m.Var("x", []int{2})
	m.SubjectTo(dc.LE(dc.Quotient(x.At(0).Scale(3).Shift(-4), dc.SumSquares(x).Shift(-1)), -1.9))
	if p, err = m.Problem(context.Background()); err != nil {
		t.Fatal(err)
	}
	if at := []float64{1 - 0x1p-49, 0}; p.Feasible(at, 1e-6) {
		v, _ := p.Violation(at)
		t.Errorf("a point that breaks the constraint by %g is feasible", v)
	}
}
