package subproblem

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// staleConstant is how much larger than that of the new problem the constant of
// an old objective may be, which an Update leaves: gaps are relative to it.
// Source: docs/lab/ccp.md, Constants.
const staleConstant = 100

// SamePattern reports whether an Update makes p of q.
func SamePattern(p, q *qpbackend.Problem) bool {
	return math.Abs(q.R) <= staleConstant*max(1, math.Abs(p.R)) && samePlaces(p.P, q.P) && samePlaces(p.A, q.A) && slices.Equal(p.Cones, q.Cones)
}

func samePlaces(a, b *sparse.CSC) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Rows == b.Rows && a.Cols == b.Cols && slices.Equal(a.ColPtr, b.ColPtr) && slices.Equal(a.RowIdx, b.RowIdx)
}

// Bind takes over the bounds of another instance of the problem, which differ
// in the values of parameters alone.
func (s *Problem) Bind(p *dc.Problem) {
	s.DC = p
	for _, v := range p.Vars {
		for k := range v.Len() {
			j := v.Offset + k
			s.QP.Lo[j], s.QP.Hi[j] = v.Bounds(k) // now has the same slices
		}
	}
	s.lo, s.hi = nil, nil
	s.Forget()
}

// Forget drops the point of a proof of infeasibility, which is no start for the next instance.
func (s *Problem) Forget() {
	if s.Res.Status == qpbackend.PrimalInfeasible || math.IsNaN(s.Res.Objective) {
		s.Res.Status = qpbackend.Unknown
	}
}

// DifferentiateAt is the derivative at a solution of the problem of the last Linearise. It is good
// until the next call, and the next Solve.
func (s *Problem) DifferentiateAt(ctx context.Context, point qpbackend.Tangent) (qpbackend.Derivative, error) {
	if s.Solver == nil {
		return nil, errors.New("ccp: the convex problem has no solver")
	}
	if err := s.unchanged.ask(s.Solver, s.values()); err != nil {
		return nil, err
	}
	return s.Solver.DifferentiateAt(ctx, point.X, point.Y, point.Z)
}
