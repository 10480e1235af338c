package presolve

import (
	"context"
	"errors"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/base"
)

// Backend solves the reduced problem with Inner. It suits single solves: an
// Update makes the reduction anew, symbolic factorisation included.
type Backend struct {
	Inner qpbackend.Backend
}

// Name is that of Inner.
func (b Backend) Name() string { return b.Inner.Name() }

// Supports is that of Inner.
func (b Backend) Supports(k qpbackend.ConeKind) bool { return b.Inner.Supports(k) }

// DefaultSettings are those of Inner.
func (b Backend) DefaultSettings() qpbackend.Settings { return b.Inner.DefaultSettings() }

// New reduces p and has Inner prepare the reduced problem. Problems with cones are
// passed on as they are.
func (b Backend) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	own, err := base.New(ctx, b, p, set)
	if err != nil {
		return nil, err
	}
	s := &solver{Solver: own, inner: b.Inner}
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// worthwhile is the least share of rows and columns that must go.
// Source: a limit of speed: below it the reduced problem costs as much as the whole.
const worthwhile = 0.05

// solver keeps the problem as stated beside the reduced one.
type solver struct {
	base.Solver
	inner qpbackend.Backend
	red   *reduction       // nil: nothing worthwhile was found
	sub   qpbackend.Solver // of the reduced problem, or of p
	whole qpbackend.Solver // of p, where sub's answer did not hold
	res   qpbackend.Result // of the reduced problem
	stale bool
}

func (s *solver) prepare(ctx context.Context) error {
	s.drop()
	s.stale = true // until it is done
	red, err := reduce(ctx, s.P)
	if err != nil {
		return err
	}
	s.red = red
	p := s.P
	if s.red != nil && s.red.proof != nil {
		s.stale = false
		return nil
	}
	if s.red != nil {
		p = s.red.problem()
	}
	sub, err := s.inner.New(ctx, p, s.Set)
	if err != nil && s.red != nil && ctx.Err() == nil { // told in terms of the problem as stated
		s.red = nil
		sub, err = s.inner.New(ctx, s.P, s.Set)
	}
	s.sub, s.stale = sub, err != nil
	return err
}

func (s *solver) drop() {
	if s.sub != nil {
		s.sub.Close()
	}
	if s.whole != nil {
		s.whole.Close()
	}
	s.sub, s.whole = nil, nil
}

// Update changes values; the next Solve reduces anew.
func (s *solver) Update(u qpbackend.Update) error {
	if err := s.Apply(u); err != nil {
		return err
	}
	s.stale = true
	return nil
}

// warmStart passes the warm start on to the solver of the remaining problem.
func (s *solver) warmStart() error {
	x, y, z := s.Start.Parts()
	given := s.Start.Given()
	s.Start.Forget()
	if !given || s.sub == nil {
		return nil
	}
	if s.red != nil {
		x, y, z = gather(x, s.red.cols), gather(y, s.red.rows), gather(z, s.red.cols)
	}
	return s.sub.WarmStart(x, y, z)
}

// gather picks entries of v; nil stays nil.
func gather(v []float64, at []int) []float64 {
	if v == nil {
		return nil
	}
	out := make([]float64, len(at))
	for k, i := range at {
		out[k] = v[i]
	}
	return out
}

// Solve solves the reduced problem and undoes the reduction.
func (s *solver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	if err := s.Open(); err != nil {
		return err
	}
	if s.stale {
		if err := s.prepare(ctx); err != nil {
			return s.early(ctx, dst, err)
		}
	}
	if err := s.warmStart(); err != nil {
		return err
	}
	if s.red == nil {
		return s.sub.Solve(ctx, dst)
	}
	if s.red.proof != nil && ctx.Err() == nil && s.refute(dst) {
		return nil
	}
	if s.sub == nil {
		return s.solveWhole(ctx, dst)
	}
	err := s.sub.Solve(ctx, &s.res)
	var nonconvex *qpbackend.NonconvexError
	if errors.As(err, &nonconvex) && nonconvex.Index >= 0 {
		nonconvex.Index = s.red.cols[nonconvex.Index]
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	if s.restore(ctx, dst) || ctx.Err() != nil {
		return err
	}
	return s.solveWhole(ctx, dst)
}

// refute fills dst with the contradiction that the reduction met, and reports
// whether it is a proof.
func (s *solver) refute(dst *qpbackend.Result) bool {
	*dst = qpbackend.Result{Status: qpbackend.PrimalInfeasible, X: dst.X, Y: dst.Y, Z: dst.Z, Objective: math.Inf(1), Message: "found by presolve"}
	s.red.undo(dst, nil, asRay)
	support := 0.0
	add := func(v, lo, up float64) {
		if v > 0 {
			support += v * up
		} else if v < 0 {
			support += v * lo
		}
	}
	for i, v := range dst.Y {
		add(v, s.P.L[i], s.P.U[i])
	}
	for j, v := range dst.Z {
		add(v, s.P.Lo[j], s.P.Hi[j])
	}
	for _, v := range [...][]float64{dst.Y, dst.Z} {
		for i := range v {
			v[i] /= -support
		}
	}
	return qpbackend.PrimalInfeasibility(s.P, dst.Y, dst.Z) <= s.Set.InfeasTol
}

// early is the end of a solve that has no iterate: where ctx has ended, dst is
// the origin.
func (s *solver) early(ctx context.Context, dst *qpbackend.Result, err error) error {
	if ctx.Err() == nil {
		return err
	}
	n, m := s.P.Dims()
	*dst = qpbackend.Result{Status: qpbackend.Interrupted(ctx.Err()), X: make([]float64, n), Y: make([]float64, m), Z: make([]float64, n)}
	dst.Objective = s.P.Objective(dst.X)
	s.certify(ctx, dst)
	return ctx.Err()
}

func (s *solver) certify(ctx context.Context, dst *qpbackend.Result) {
	dst.Res = s.Set.Certify(ctx, s.P, nil, dst.X, dst.Y, dst.Z, make([]float64, qpbackend.CertifyLen(s.P)))
}

// solveWhole solves the problem as stated.
func (s *solver) solveWhole(ctx context.Context, dst *qpbackend.Result) error {
	if s.whole == nil {
		whole, err := s.inner.New(ctx, s.P, s.Set)
		if err != nil {
			return s.early(ctx, dst, err)
		}
		s.whole = whole
	}
	return s.whole.Solve(ctx, dst)
}

// restore fills dst from the reduced result and reports whether it holds.
func (s *solver) restore(ctx context.Context, dst *qpbackend.Result) bool {
	x, y, z := dst.X, dst.Y, dst.Z
	*dst = s.res
	dst.X, dst.Y, dst.Z = x, y, z
	kind := asPoint
	switch s.res.Status {
	case qpbackend.PrimalInfeasible, qpbackend.DualInfeasible:
		kind = asRay
	}
	s.red.undo(dst, &s.res, kind)
	switch s.res.Status {
	case qpbackend.PrimalInfeasible:
		return qpbackend.PrimalInfeasibility(s.P, dst.Y, dst.Z) <= s.Set.InfeasTol
	case qpbackend.DualInfeasible:
		return qpbackend.DualInfeasibility(s.P, dst.X) <= s.Set.InfeasTol
	}
	dst.Objective = s.P.Objective(dst.X)
	s.certify(ctx, dst)
	dst.Message = s.red.String()
	if s.res.Message != "" {
		dst.Message += "; " + s.res.Message
	}
	return s.res.Status != qpbackend.Solved || dst.Res.Max() <= s.Set.Tol
}

// Close frees the solvers.
func (s *solver) Close() error {
	s.drop()
	return s.Solver.Close()
}
