package subproblem

import (
	"context"

	"github.com/dcopt/dcopt/ccp/internal/scaled"
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
	u := s.NoObjective()
	res, err := s.Ask(ctx, u)
	if err != nil || !s.Proves(u, &res) {
		return false
	}
	s.Res = res
	return true
}

// Proves reports whether a backend's answer to the problem with the values u is a proof
// that no point meets its rows: its word for it is none.
func (s *Problem) Proves(u qpbackend.Update, res *qpbackend.Result) bool {
	if res.Status != qpbackend.PrimalInfeasible {
		return false
	}
	p := s.stated()
	if u.L != nil {
		p.L = u.L
	}
	if u.U != nil {
		p.U = u.U
	}
	if u.Lo != nil {
		p.Lo, p.Hi = u.Lo, u.Hi
	}
	return scaled.Infeasible(p, res.Y, s.columnUnits())
}

// Proven is Proves for the last solve.
func (s *Problem) Proven() bool { return s.Proves(qpbackend.Update{}, &s.Res) }
