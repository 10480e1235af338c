package subproblem

import (
	"context"
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

// Differentiator is a solver for derivatives alone, which is kept.
type Differentiator struct {
	solver qpbackend.Differentiator
	of     *qpbackend.Problem // whose pattern it has
	a, p   []float64          // the values of A and P that it has
}

// At is the derivative at a solution of the problem of the last linearise of s, by backend b, whose solvers differentiate. It is good until
// the next call.
func (t *Differentiator) At(ctx context.Context, b qpbackend.Backend, s *Problem, point qpbackend.Tangent) (qpbackend.Derivative, error) {
	if err := t.take(ctx, b, s); err != nil {
		return nil, err
	}
	return t.solver.DifferentiateAt(ctx, point.X, point.Y, point.Z)
}

// take makes the solver one of the present values.
func (t *Differentiator) take(ctx context.Context, b qpbackend.Backend, s *Problem) error {
	qp := s.Stated()
	if t.solver != nil && SamePattern(t.of, qp) {
		u := qpbackend.Update{Q: qp.Q, Lo: qp.Lo, Hi: qp.Hi, L: qp.L, U: qp.U}
		if !slices.Equal(t.a, qp.A.Val) {
			u.A = qp.A.Val
		}
		if qp.P != nil && !slices.Equal(t.p, qp.P.Val) {
			u.P = qp.P.Val
		}
		t.note(qp)
		return t.solver.Update(u)
	}
	t.Close()
	solver, err := b.New(ctx, qp, b.DefaultSettings())
	if err != nil {
		return err
	}
	t.solver, t.of = solver.(qpbackend.Differentiator), qp
	t.note(qp)
	return nil
}

// note keeps the values of the matrices: those that have not changed need no scaling and no test of
// convexity anew.
func (t *Differentiator) note(qp *qpbackend.Problem) {
	t.a = append(t.a[:0], qp.A.Val...)
	if qp.P != nil {
		t.p = append(t.p[:0], qp.P.Val...)
	}
}

// Close closes the solver; the next call makes another one.
func (t *Differentiator) Close() {
	if t.solver != nil {
		t.solver.Close()
	}
	t.solver, t.of = nil, nil
}
