package qptest

import (
	"context"
	"errors"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest/internal/problems"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// refusing checks that problems that cannot be solved are refused by an error.
func (s suite) refusing() []Check {
	nan := math.NaN()
	var out []Check
	good := func() *qpbackend.Problem {
		return &qpbackend.Problem{P: problems.Diagonal(1, 1), Q: []float64{1, 1}, A: sparse.Identity(2),
			L: []float64{0, 0}, U: []float64{1, 1}}
	}
	for _, bad := range []struct {
		name  string
		spoil func(p *qpbackend.Problem)
	}{
		{"NaN in q", func(p *qpbackend.Problem) { p.Q[1] = nan }},
		{"NaN in l", func(p *qpbackend.Problem) { p.L[1] = nan }},
		{"NaN in u", func(p *qpbackend.Problem) { p.U[0] = nan }},
		{"NaN in P", func(p *qpbackend.Problem) { p.P.Val[0] = nan }},
		{"NaN in A", func(p *qpbackend.Problem) { p.A.Val[0] = nan }},
		{"an infinite constant", func(p *qpbackend.Problem) { p.R = problems.Inf() }},
		{"crossed bounds", func(p *qpbackend.Problem) { p.L[0] = 2 }},
		{"a lower bound of +inf", func(p *qpbackend.Problem) { p.L[0], p.U[0] = problems.Inf(), problems.Inf() }},
		{"l and u of different length", func(p *qpbackend.Problem) { p.U = p.U[:1] }},
		{"A with a row too many", func(p *qpbackend.Problem) { p.L, p.U = p.L[:1], p.U[:1] }},
		{"bounds without A", func(p *qpbackend.Problem) { p.A = nil }},
		{"P of the wrong order", func(p *qpbackend.Problem) { p.P = problems.Diagonal(1, 1, 1) }},
		{"P with its lower triangle", func(p *qpbackend.Problem) {
			p.P = problems.Matrix(2, []float64{1, 0.5}, []float64{0.5, 1})
		}},
		{"a row index out of range", func(p *qpbackend.Problem) { p.A.RowIdx[1] = 7 }},
	} {
		out = append(out, Check{"refuse/" + bad.name, func(t TB) {
			p := good()
			bad.spoil(p)
			s.refuses(t, p, s.settings())
		}})
	}
	for _, bad := range []struct {
		name string
		set  func(*qpbackend.Settings)
	}{
		{"Tol NaN", func(set *qpbackend.Settings) { set.Tol = nan }},
		{"Tol 0", func(set *qpbackend.Settings) { set.Tol = 0 }},
		{"InfeasTol -1", func(set *qpbackend.Settings) { set.InfeasTol = -1 }},
		{"MaxIter 0", func(set *qpbackend.Settings) { set.MaxIter = 0 }},
	} {
		out = append(out, Check{"refuse/" + bad.name, func(t TB) {
			set := s.settings()
			bad.set(&set)
			s.refuses(t, good(), set)
		}})
	}
	out = append(out, Check{"refuse/defaults are in range", func(t TB) {
		if err := s.b.DefaultSettings().Validate(); err != nil {
			t.Errorf("DefaultSettings: %v", err)
		}
		if s.b.Name() == "" {
			t.Errorf("the backend has no name")
		}
	}})
	for _, bad := range []struct {
		name string
		p    *sparse.CSC
	}{
		{"a negative diagonal entry", problems.Diagonal(1, -1)},
		{"an indefinite P", problems.Upper([]float64{1, 2}, []float64{2, 1})},
		{"a zero diagonal entry with others beside it", problems.Upper([]float64{0, 1}, []float64{1, 1})},
		{"a little negative curvature", problems.Diagonal(1, -1e-2)},
		{"more of it than rounding makes", problems.Upper([]float64{1, 1 + 3e-4}, []float64{1 + 3e-4, 1})},
	} {
		out = append(out, Check{"nonconvex/" + bad.name, func(t TB) {
			p := good()
			p.P = bad.p
			solver, err := s.b.New(context.Background(), p, s.settings())
			if err == nil {
				defer solver.Close()
				err = solver.Solve(context.Background(), new(qpbackend.Result))
			}
			wantNonconvex(t, err)
		}})
	}
	return append(out, Check{"nonconvex/by an update", s.nonconvexUpdate})
}

// refuses has New refuse a problem.
func (s suite) refuses(t TB, p *qpbackend.Problem, set qpbackend.Settings) {
	t.Helper()
	if solver, err := s.b.New(context.Background(), p, set); err == nil {
		solver.Close()
		t.Errorf("New accepts it")
	}
}

func wantNonconvex(t TB, err error) {
	t.Helper()
	var nc *qpbackend.NonconvexError
	if !errors.As(err, &nc) {
		t.Errorf("the error is %v, want a *NonconvexError", err)
	}
}

// nonconvexUpdate makes P indefinite and then convex again.
func (s suite) nonconvexUpdate(t TB) {
	p := &qpbackend.Problem{P: problems.Diagonal(1, 1), Q: []float64{-1, -1}, A: sparse.Identity(2),
		L: []float64{-3, -3}, U: []float64{3, 3}}
	solver := s.make(t, p, s.settings())
	defer solver.Close()
	err := solver.Update(qpbackend.Update{P: []float64{1, -1}})
	if err == nil {
		err = solver.Solve(context.Background(), new(qpbackend.Result))
	}
	wantNonconvex(t, err)
	must(t, "Update back to a convex P", solver.Update(qpbackend.Update{P: []float64{1, 1}}))
	s.optimal(t, problems.Solved("", p, []float64{1, 1}, []float64{0, 0}, true, true), run(t, solver))
}
