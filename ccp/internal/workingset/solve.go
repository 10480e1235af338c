package workingset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
)

// solver keeps the whole problem, the working set and the solver of its rows.
type solver struct {
	p     *qpbackend.Problem
	set   qpbackend.Settings
	least int // rows that join at once
	*shape
	members
	small reduced
	work
	inner   qpbackend.Backend
	sub     qpbackend.Solver // of small; nil: there is none
	chosen  bool             // there is a set
	changed bool             // small is not the problem of the set
	stale   bool             // sub has not the values of small
	closed  bool
	start   proposal
	sampled bool      // the rows are those of samples
	reach   []float64 // of samples, by column that is no term: the size of a step; nil: none is known
	price   []float64 // of samples, by term: memory of estimate
}

// work is memory that lasts: the last point, its products with the rows, and lists.
type work struct {
	x, y, z, ax []float64
	certify     []float64
	list        []candidate
	res         qpbackend.Result
}

// proposal is a warm start.
type proposal struct {
	given, dual bool // there is one, and it has multipliers
}

func newSolver(p *qpbackend.Problem, inner qpbackend.Backend, set qpbackend.Settings) *solver {
	n, m := p.Dims()
	s := &solver{p: p, set: set, shape: newShape(p), inner: inner}
	s.sampled = s.samples(p)
	s.x, s.y, s.z, s.ax = make([]float64, n), make([]float64, m), make([]float64, n), make([]float64, m)
	s.certify = make([]float64, qpbackend.CertifyLen(p))
	return s
}

func (s *solver) open() error {
	if s.closed {
		return fmt.Errorf("%s: the solver is closed", s.inner.Name())
	}
	return nil
}

// Update overwrites values of the whole problem.
func (s *solver) Update(u qpbackend.Update) error {
	if err := s.open(); err != nil {
		return err
	}
	if err := s.p.Apply(u); err != nil {
		return err
	}
	s.stale = true
	return nil
}

// WarmStart proposes a point for the next Solve; x alone is enough for the choice of the first
// working set.
func (s *solver) WarmStart(x, y, z []float64) error {
	if err := s.open(); err != nil {
		return err
	}
	if err := s.p.CheckStart(x, y, z); err != nil {
		return err
	}
	if x == nil {
		return nil
	}
	for j := range s.reach {
		s.reach[j] = max(s.reach[j], math.Abs(x[j]-s.x[j]))
	}
	copy(s.x, x)
	s.start = proposal{given: true, dual: y != nil}
	if y != nil {
		clear(s.z)
		copy(s.y, y)
		copy(s.z, z)
	}
	return nil
}

// Close frees the solver of the rows in the set.
func (s *solver) Close() error {
	s.closed = true
	return s.drop()
}

func (s *solver) drop() (err error) {
	if s.sub != nil {
		err = s.sub.Close()
	}
	s.sub = nil
	return err
}

// Solve solves the problem of the working set until its solution breaks no other row.
func (s *solver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	if err := s.open(); err != nil {
		return err
	}
	warm, from := s.start.dual, slices.Clone(s.x)
	iterations, err := s.renew(ctx)
	s.start = proposal{}
	if err != nil {
		return s.fail(ctx, dst, iterations, err)
	}
	warm = warm && iterations == 0
	for {
		err := s.round(ctx, warm) // warm from the solve before alone: with rows that have joined a warm start takes as long
		iterations += s.res.Iterations
		if err != nil {
			return s.fail(ctx, dst, iterations, err)
		}
		s.restore(&s.res)
		if !s.next() {
			if s.sampled {
				s.stepped(from)
			}
			s.answer(dst, iterations)
			return nil
		}
		warm = false
	}
}

// round solves the problem of the set.
func (s *solver) round(ctx context.Context, warm bool) error {
	s.res.Iterations = 0
	if err := s.load(ctx); err != nil {
		return err
	}
	if warm {
		if err := s.warm(); err != nil {
			return err
		}
	}
	return s.sub.Solve(ctx, &s.res)
}

// load gives sub the rows of the set and their values.
func (s *solver) load(ctx context.Context) error {
	if !s.changed && s.sub != nil {
		if !s.stale {
			return nil
		}
		if s.values() {
			p := &s.small.p
			s.stale = false
			return s.sub.Update(qpbackend.Update{Q: p.Q, Lo: p.Lo, Hi: p.Hi, L: p.L, U: p.U, P: p.P.Val, A: p.A.Val})
		}
	}
	s.build()
	s.drop()
	sub, err := s.inner.New(ctx, &s.small.p, s.set)
	if err != nil {
		return err
	}
	s.sub, s.changed, s.stale = sub, false, false
	return nil
}

// warm proposes the part of the last point that sub has.
func (s *solver) warm() error {
	r := &s.small
	x, y, z := make([]float64, len(r.cols)), make([]float64, len(r.rows)), make([]float64, len(r.cols))
	for f, j := range r.cols {
		x[f], z[f] = s.x[j], s.z[j]
	}
	for f, i := range r.rows {
		y[f] = s.y[i]
	}
	return s.sub.WarmStart(x, y, z)
}

// next changes the set where the answer is none of the whole problem. It reports whether
// there is another round.
func (s *solver) next() bool {
	switch s.res.Status {
	case qpbackend.PrimalInfeasible:
		return qpbackend.PrimalInfeasibility(s.p, s.y, s.z) > s.set.InfeasTol && s.all()
	case qpbackend.DualInfeasible:
		return qpbackend.DualInfeasibility(s.p, s.x) > s.set.InfeasTol && (s.join(s.brokenByRay()) || s.all())
	case qpbackend.Solved, qpbackend.AlmostSolved:
	default:
		return s.all()
	}
	tol := s.tolerance()
	if s.join(s.broken(tol)) {
		return true
	}
	s.res.Res = qpbackend.CertifyWork(s.p, s.x, s.y, s.z, s.certify)
	if s.res.Status == qpbackend.Solved && !(s.res.Res.Max() <= s.set.Tol) && s.all() {
		return true
	}
	s.age(tol)
	return false
}

// all takes all rows into the set; it returns false where they are.
func (s *solver) all() bool {
	for _, j := range s.terms {
		s.changed = s.changed || s.state[j] != free
		s.release(j)
	}
	for i := range s.in {
		s.include(int32(i))
	}
	return s.changed
}

// answer fills dst.
func (s *solver) answer(dst *qpbackend.Result, iterations int) {
	x, y, z := append(dst.X[:0], s.x...), append(dst.Y[:0], s.y...), append(dst.Z[:0], s.z...)
	*dst = qpbackend.Result{Status: s.res.Status, X: x, Y: y, Z: z, Objective: s.res.Objective, Res: s.res.Res, Iterations: iterations, Message: s.res.Message}
	switch dst.Status {
	case qpbackend.PrimalInfeasible, qpbackend.DualInfeasible:
		return
	}
	dst.Objective = s.p.Objective(x)
	dst.Res = qpbackend.CertifyWork(s.p, x, y, z, s.certify)
}

// fail is the end where sub could not try: where ctx has ended, dst is the last point.
func (s *solver) fail(ctx context.Context, dst *qpbackend.Result, iterations int, err error) error {
	var nonconvex *qpbackend.NonconvexError
	if errors.As(err, &nonconvex) && nonconvex.Index >= 0 && nonconvex.Index < len(s.small.cols) {
		nonconvex.Index = int(s.small.cols[nonconvex.Index])
	}
	if ctx.Err() == nil {
		return err
	}
	if s.sub != nil && s.res.Status == qpbackend.Interrupted(ctx.Err()) {
		s.restore(&s.res)
	} else {
		clear(s.y)
		clear(s.z)
	}
	s.res.Status = qpbackend.Interrupted(ctx.Err())
	s.answer(dst, iterations)
	return err
}
