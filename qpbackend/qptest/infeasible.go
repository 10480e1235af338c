package qptest

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest/internal/problems"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// infeasible checks the certificates of problems without a solution.
func (s suite) infeasible() []Check {
	return append(s.outcomes("certificate/", func(c Case) bool { return c.Want != qpbackend.Solved }),
		Check{"certificate/neither feasible nor bounded", s.neither},
		Check{"certificate/the same solver, feasible again", s.feasibleAgain},
	)
}

// certificate checks a result whose status is an infeasibility.
func certificate(t TB, p *qpbackend.Problem, res *qpbackend.Result, tol float64) {
	t.Helper()
	shaped(t, p, res)
	if res.Res != (qpbackend.Residuals{}) {
		t.Errorf("Res is %+v beside a certificate, want zeros", res.Res)
	}
	sign, worth, size := 1, qpbackend.PrimalInfeasibility(p, res.Y, res.Z), supportValue(p, res.Y, res.Z)
	if res.Status == qpbackend.DualInfeasible {
		sign, worth, size = -1, qpbackend.DualInfeasibility(p, res.X), num.Dot(p.Q, res.X)
		problems.CheckDirection(t, p, res.X, 2*tol)
	} else {
		problems.CheckPolar(t, p, res.Y, 1e-7)
	}
	if !(worth <= tol) {
		t.Errorf("the certificate of %v is worth %g, want at most %g", res.Status, worth, tol)
	}
	if !math.IsInf(res.Objective, sign) {
		t.Errorf("the objective of %v is %g", res.Status, res.Objective)
	}
	if !agree(size, -1, 1e-6) {
		t.Errorf("the certificate of %v is scaled to %g, want -1", res.Status, size)
	}
}

// supportValue is S(y): the sum of u[i]·y[i] over y[i] > 0 and l[i]·y[i] over
// y[i] < 0, absent bounds left out, and of l[i]·y[i] over rows of cones; and
// likewise for z and the bounds of the variables.
func supportValue(p *qpbackend.Problem, y, z []float64) float64 {
	s := 0.0
	for j, v := range z {
		lo, hi := p.Bounds(j)
		switch {
		case v > 0 && hi < problems.Inf():
			s += v * hi
		case v < 0 && lo > -problems.Inf():
			s += v * lo
		}
	}
	for i, v := range y {
		switch {
		case problems.InCone(p, i):
			s += v * p.L[i]
		case v > 0 && p.U[i] < qpbackend.Infinity:
			s += v * p.U[i]
		case v < 0 && p.L[i] > -qpbackend.Infinity:
			s += v * p.L[i]
		}
	}
	return s
}

// neither: both certificates exist and either is right.
func (s suite) neither(t TB) {
	p := &qpbackend.Problem{
		Q: []float64{-1, 0}, A: problems.Matrix(2, []float64{0, 1}, []float64{0, 1}), L: []float64{1, -problems.Inf()},
		U: []float64{problems.Inf(), 0},
	}
	res := s.solve(t, p, s.settings())
	if res.Status != qpbackend.PrimalInfeasible && res.Status != qpbackend.DualInfeasible {
		fail(t, "the status is %v, want one of the infeasibilities", res.Status)
	}
	certificate(t, p, res, s.settings().InfeasTol)
}

// feasibleAgain takes one solver from feasible to infeasible and back.
func (s suite) feasibleAgain(t TB) {
	p := &qpbackend.Problem{
		P: problems.Diagonal(1, 1), Q: []float64{0, 0},
		A: problems.Matrix(2, []float64{1, 1}, []float64{1, 0}, []float64{0, 1}),
		L: []float64{1, -problems.Inf(), -problems.Inf()}, U: []float64{problems.Inf(), 1, 1},
	}
	var stages []stage
	for _, side := range []float64{1, 3, 1} {
		now := p.Clone()
		now.L[0] = side
		want := problems.Solved("", now, []float64{0.5, 0.5}, []float64{-0.5, 0, 0}, true, true)
		if side == 3 { // x₀ + x₁ ≥ 3 below 1 each
			want = Case{Problem: now, Want: qpbackend.PrimalInfeasible}
		}
		stages = append(stages, stage{qpbackend.Update{L: now.L}, want})
	}
	s.walk(t, p, stages)
}

// falling is unbounded in its one variable.
func falling() *qpbackend.Problem {
	return &qpbackend.Problem{Q: []float64{-1}, A: sparse.Identity(1), L: []float64{0}, U: []float64{problems.Inf()}}
}
