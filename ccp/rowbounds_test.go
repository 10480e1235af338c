package ccp_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// TestRowsAreBounds: bounds that are stated as constraints lead to the optimum of those in
// declarations, and the rows have the multipliers.
func TestRowsAreBounds(t *testing.T) {
	m := dc.NewModel()
	x, y := m.Var("x", nil), m.Var("y", nil)
	m.SubjectTo(dc.LE(y.Scale(-2), dc.Num(-6)).Named("low"), dc.LE(x, dc.Num(2)).Named("top")) // y ≥ 3
	m.SubjectTo(dc.GE(dc.Mul(x, y), dc.Num(8)).Named("area"))
	m.Minimize(x.Add(y.Scale(2)))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
	if err != nil || res.Status != ccp.Converged || math.Abs(res.Objective-10) > 1e-6 {
		t.Fatalf("x + 2y, x*y >= 8, x <= 2, y >= 3: %v, objective %g, want 10, %v", res.Status, res.Objective, err)
	}
	// 1 + top − y·area = 0, 2 − x·area = 0 at (2, 4): area = 1, top = 3.
	for k, want := range []float64{0, 3, 1} {
		if got := res.Duals[k][0]; math.Abs(got-want) > 1e-4 {
			t.Errorf("multiplier of %s is %g, want %g", p.Program().Constraints[k].Name(), got, want)
		}
	}
	for j, z := range res.BoundDuals {
		if math.Abs(z) > 1e-6 {
			t.Errorf("variable %d has no bound, its multiplier is %g", j, z)
		}
	}
}

// TestRowsInConflict: rows that leave nothing are named.
func TestRowsInConflict(t *testing.T) {
	m := dc.NewModel()
	x, y := m.Var("x", nil), m.Var("y", nil)
	m.SubjectTo(dc.GE(x, dc.Num(5)).Named("more"), dc.LE(x, dc.Num(3)).Named("less"), dc.GE(y, dc.Num(0)).Named("sign"))
	m.Minimize(dc.Sum(dc.Square(x), dc.Mul(x, y)))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
	if err != nil || res.Status != ccp.Infeasible || !strings.Contains(res.Message, "more") || !strings.Contains(res.Message, "less") || strings.Contains(res.Message, "sign") {
		t.Errorf("x >= 5, x <= 3: %v, %q, %v", res.Status, res.Message, err)
	}
}

// TestRowOfAParameter: x ≤ p is no bound that stays when p changes.
func TestRowOfAParameter(t *testing.T) {
	m := dc.NewModel()
	x, p := m.Var("x", nil, dc.AtLeast(0)), m.Param("p", nil, 1)
	m.SubjectTo(dc.LE(x, p), dc.LE(x.Scale(2), dc.Num(20)))
	m.Minimize(dc.Square(x).Neg())
	q, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s, err := ccp.NewSession(context.Background(), q, ccp.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, v := range []float64{1, 5, 30} {
		if err := s.Set("p", v); err != nil {
			t.Fatal(err)
		}
		res, err := s.Solve(context.Background(), []float64{0.5, v})
		if err != nil || math.Abs(res.X[0]-min(v, 10)) > 1e-6 {
			t.Errorf("p = %g: x = %g, want %g, %v", v, res.X[0], min(v, 10), err)
		}
	}
}
