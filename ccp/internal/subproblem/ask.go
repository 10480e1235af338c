package subproblem

import (
	"context"

	"github.com/dcopt/dcopt/qpbackend"
)

// NoObjective are the values of the convex problem without its objective.
func (s *Problem) NoObjective() qpbackend.Update {
	u := s.Now
	u.Q = make([]float64, len(u.Q))
	if s.QP.P != nil {
		u.P = make([]float64, s.QP.P.NNZ())
	}
	return u
}

// Ask solves the problem with other values than those of the last linearise, for
// a purpose of its own.
func (s *Problem) Ask(ctx context.Context, u qpbackend.Update) (res qpbackend.Result, err error) {
	s.unchanged.strange = true
	if err = s.Solver.Update(u); err == nil {
		err = s.Solver.Solve(ctx, &res)
	}
	return res, err
}

// Excluded reports whether the convex constraints exclude each other. A backend
// may have failed because the objective, too, has no least value.
func (s *Problem) Excluded(ctx context.Context) bool {
	res, err := s.Ask(ctx, s.NoObjective())
	if err != nil || res.Status != qpbackend.PrimalInfeasible {
		return false
	}
	s.Res = res
	return true
}
