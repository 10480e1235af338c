package ccp_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// TestMatrixMultipliers: minimise tr(CX) over X ⪰ 0 (or λ(X) bounded) with
// X₁₂ = 1. The multiplier Z is positive semidefinite, Z = C except where the
// equation acts, and ZX = 0.
func TestMatrixMultipliers(t *testing.T) {
	for _, n := range []int{2, 3, 5} {
		for name, state := range map[string]func(m *dc.Model) dc.Expr{
			"psd": func(m *dc.Model) dc.Expr { return m.Var("X", []int{n, n}, dc.PSD()) },
			"lambda_min": func(m *dc.Model) dc.Expr {
				x := m.Var("X", []int{n, n}, dc.Symmetric())
				m.SubjectTo(dc.Semidefinite(x).Named("p"))
				return x
			},
		} {
			m := dc.NewModel()
			x := state(m)
			cost := make([]float64, n*n)
			for k := range n {
				cost[k*n+k] = float64(k + 1)
			}
			m.Minimize(x.ScaleEach(cost).Sum())
			m.SubjectTo(dc.EQ(x.At(0, 1), dc.Num(1)).Named("e"))
			p, err := m.Problem(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
			if err != nil || res.Status != ccp.Converged {
				t.Fatalf("%s of order %d: %v, %v", name, n, res, err)
			}
			if p.Program().Constraints[0].Order() != n || p.Program().Constraints[1].Order() != 0 || len(res.Duals[0]) != n*n {
				t.Fatalf("%s of order %d has a multiplier with %d entries", name, n, len(res.Duals[0]))
			}
			z := mat.NewDense(n, n, res.Duals[0])
			var zx mat.Dense
			zx.Mul(z, x.Matrix(res.X))
			for i := range n {
				for j := range n {
					want := cost[i*n+j]
					if i+j == 1 { // the equation's, on either side of the diagonal
						want += res.Duals[1][0] / 2
					}
					if math.Abs(z.At(i, j)-want) > 1e-5 || math.Abs(zx.At(i, j)) > 1e-4 {
						t.Errorf("%s of order %d: multiplier %g at %d,%d, want %g; Z*X has %g", name, n, z.At(i, j), i, j, want, zx.At(i, j))
					}
				}
			}
		}
	}
}

// TestBoundMultipliers: stationarity with the multipliers of bounds.
func TestBoundMultipliers(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{3}, dc.AtLeast(0, math.Inf(-1), -1), dc.AtMost(2, 5, 7))
	m.Minimize(dc.SumSquares(x.Sub(dc.Vec([]float64{-1, 3, 9}))))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
	if err != nil || len(res.BoundDuals) != 3 {
		t.Fatalf("%+v, %v", res, err)
	}
	for k, want := range []float64{-2, 0, 4} { // minus the gradient
		if math.Abs(res.BoundDuals[k]-want) > 1e-5 {
			t.Errorf("bound of x[%d] has the multiplier %g, want %g", k, res.BoundDuals[k], want)
		}
	}
}

// TestMultipliersOfFixedVariables: of a variable whose bounds are equal they are minus the
// gradient, although its value stands in the splits.
func TestMultipliersOfFixedVariables(t *testing.T) {
	m := dc.NewModel()
	x, y := m.Var("x", nil, dc.AtLeast(2), dc.AtMost(2)), m.Var("y", nil, dc.AtLeast(1), dc.AtMost(3))
	m.Minimize(dc.Mul(x, y).Add(dc.Exp(x)))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
	if err != nil || len(res.BoundDuals) != 2 {
		t.Fatalf("%+v, %v", res, err)
	}
	for k, want := range []float64{-1 - math.Exp(2), -2} {
		if math.Abs(res.BoundDuals[k]-want) > 1e-5 {
			t.Errorf("bound of variable %d has the multiplier %g, want %g", k, res.BoundDuals[k], want)
		}
	}
}

// TestMultipliersOfVariablesThatAreZero: from rest to a place by the least effort. What the first
// equations fix at 0, one after the other, has multipliers as accurate as the others: the slope of
// the Lagrangian is 0.
func TestMultipliersOfVariablesThatAreZero(t *testing.T) {
	const n, dt = 4, 0.25
	m := dc.NewModel()
	p, v := m.Var("p", []int{n + 1}), m.Var("v", []int{n + 1}, dc.AtLeast(-10), dc.AtMost(10))
	u := m.Var("u", []int{n}, dc.AtLeast(-5), dc.AtMost(5))
	m.Minimize(dc.SumSquares(u))
	m.SubjectTo(dc.EQ(p.At(0), dc.Num(0)), dc.EQ(v.At(0), dc.Num(0)), dc.EQ(p.At(n), dc.Num(0.4)), dc.EQ(v.At(n), dc.Num(0)))
	for k := range n {
		m.SubjectTo(dc.EQ(p.At(k+1), p.At(k).Add(v.At(k).Scale(dt))).Named("move"))
	}
	for k := range n {
		m.SubjectTo(dc.EQ(v.At(k+1), v.At(k).Add(u.At(k).Scale(dt))))
	}
	q, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	res, err := ccp.Solve(context.Background(), q, nil, ccp.DefaultSettings())
	if err != nil || res.Status != ccp.Converged {
		t.Fatalf("%v, %v", res, err)
	}
	slope := make([]float64, q.NumVars())
	q.Program().Objective.G().AddSubgrad(slope, 1, res.X)
	for j, z := range res.BoundDuals {
		slope[j] += z
	}
	for i := range q.Program().Constraints {
		for k, y := range res.Duals[i] {
			l := q.Program().Constraints[i].A.Linear(k)
			for at, j := range l.Idx {
				slope[j] += y * l.Val[at]
			}
		}
	}
	for j, s := range slope {
		if math.Abs(s) > 1e-6 {
			t.Errorf("the Lagrangian has a slope of %g along variable %d", s, j)
		}
	}
}
