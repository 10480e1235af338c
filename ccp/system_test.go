package ccp_test

import (
	"math"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// TestSystemsOfEquations: u″ + u³ = 1 + sin by differences, with as many equations as unknowns and equations of
// 1e6 times the right-hand side, is reached in some Newton steps, with an objective and without one.
func TestSystemsOfEquations(t *testing.T) {
	const n = 400
	for name, objective := range map[string]func(u dc.Affine) dc.Operand{
		"no objective": func(u dc.Affine) dc.Operand { return dc.Num(0) },
		"squares":      func(u dc.Affine) dc.Operand { return dc.SumSquares(u).Scale(1. / n) },
	} {
		m := dc.NewModel()
		u := m.Var("u", []int{n})
		m.Minimize(objective(u))
		h := 1 / (n + 1.)
		for i := range n {
			second := u.At(i).Scale(-2)
			for _, j := range []int{i - 1, i + 1} {
				if j >= 0 && j < n {
					second = second.Add(u.At(j))
				}
			}
			m.SubjectTo(dc.EQ(dc.Power(u.At(i), 3).Add(second.Scale(1/(h*h))), dc.Num(1+math.Sin(float64(i+1)*h))).Named("eq", i))
		}
		p := build(t, m)
		for seed := range uint64(2) {
			res := solve(t, p, p.Start(seed), func(s *ccp.Settings) { s.Search = ccp.Search{} })
			if res.Status != ccp.Converged || res.Iterations > 40 || !(res.Violation <= 1e-6) {
				t.Errorf("%s, seed %d: %v after %d convex problems, violation %g; %s", name, seed, res.Status, res.Iterations, res.Violation, res.Message)
			}
		}
	}
}
