package ccp_test

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// flaky fails in one solve of seven, or in all.
type flaky struct {
	ipm.Backend
	always bool
	solves *int
}

func (f flaky) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	s, err := f.Backend.New(ctx, p, set)
	return flakySolver{s, f}, err
}

type flakySolver struct {
	qpbackend.Solver
	f flaky
}

func (s flakySolver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	err := s.Solver.Solve(ctx, dst)
	if *s.f.solves++; s.f.always || *s.f.solves%7 == 3 {
		dst.Status = qpbackend.NumericalTrouble
		dst.Res = qpbackend.Residuals{Primal: math.NaN()}
		for j := range dst.X {
			dst.X[j] = math.NaN()
		}
	}
	return err
}
