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
	lines
	members
	small reduced
	work
	early
	goal
	inner   qpbackend.Backend
	sub     qpbackend.Solver // of small; nil: there is none
	chosen  bool             // there is a set
	changed bool             // small is not the problem of the set
	stale   bool             // sub has not the values of small
	closed  bool
	dual    bool      // the next Solve begins at a point with multipliers
	sampled bool      // the rows are those of samples
	reach   []float64 // of samples, by column that is no term: the size of a step; nil: none is known
	price   []float64 // of samples, by term: memory of estimate
	course
}

// course is how the solution of one problem goes.
type course struct {
	iterations int
	operations float64   // see qpbackend.Result.Work
	worked     float64   // see Worked
	tol        float64   // asked of sub
	unit       []float64 // of samples, by column: that of distances; nil: the norms of rows
	centre     []float64 // of samples: the point around which the set was made
	tries      int       // of samples: sets that were made anew
	estimated  bool      // of samples: there has been an estimate
	certified  bool      // res has the residuals of the whole problem
}

// work is memory that lasts: the last point, its products with the rows, and lists.
type work struct {
	x, y, z, ax []float64
	certify     []float64
	list        []candidate
	res         qpbackend.Result
	smoothed    *smoothing // the memory of smooth; nil: there is none yet
}

// early is whether the last round has ended early.
type early struct {
	missed bool    // by a point that breaks absent rows
	size   float64 // of the point before it
}

// goal is which points are enough, short of a solution.
type goal struct {
	from     []float64 // the first entries of a point
	decrease float64   // the decrease of the objective from there that a point has to have; +Inf: only a solution is enough
	reached  bool
}

// share is that of the decrease of the objective from the given point by which a point that is enough may be above the least value.
// Source: docs/lab/large.md, "Points that are enough".
const share = 0.01

// Enough lets the next Solve end, as AlmostSolved, with a point whose objective is lower than at a point, of which the first entries are given, by at least
// least, and that is above the least value by no more than a hundredth of that, as its multipliers prove. It counts where all
// columns beyond the given entries are terms of samples, the least values of which are there, and the others have bounds.
func (s *solver) Enough(at []float64, least float64) {
	if !s.sampled || s.others() || slices.Contains(s.term[:len(at)], true) || slices.Contains(s.term[len(at):], false) {
		return
	}
	s.goal.from, s.goal.decrease = append(s.goal.from[:0], at...), least
}

func newSolver(p *qpbackend.Problem, inner qpbackend.Backend, set qpbackend.Settings) *solver {
	n, m := p.Dims()
	s := &solver{p: p, set: set, shape: newShape(p), inner: inner}
	s.sampled = s.samples(p)
	s.x, s.y, s.z, s.ax = make([]float64, n), make([]float64, m), make([]float64, n), make([]float64, m)
	s.certify = make([]float64, qpbackend.CertifyLen(p))
	s.readLines()
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
	if s.shares && len(u.A) == len(s.p.A.Val) {
		s.p.A.Val = u.A
	}
	if err := s.p.Apply(u); err != nil {
		return err
	}
	s.stale, s.read = true, s.read && u.A == nil
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
	s.dual = y != nil
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
	s.readLines()
	s.approach()
	warm, from := s.dual, slices.Clone(s.x)
	s.iterations, s.operations, s.worked, s.tol, s.reached, s.certified = 0, 0, 0, s.set.Tol, false, false
	err := s.renew(ctx)
	s.dual = false
	warm = warm && s.iterations == 0 // from the solve before alone: with rows that have joined a warm start takes as long
	for again := !s.reached; again && err == nil; warm = false {
		if err = s.round(ctx, warm); err == nil {
			s.restore(&s.res)
			again, err = s.next(ctx)
		}
	}
	if err != nil {
		return s.fail(ctx, dst, err)
	}
	if s.sampled {
		s.stepped(from)
	}
	s.answer(dst)
	s.goal.from = s.goal.from[:0]
	return nil
}

// approach moves s.x to the point from which the objective is to fall.
func (s *solver) approach() {
	for j, v := range s.goal.from {
		if s.reach != nil {
			s.reach[j] = max(s.reach[j], math.Abs(v-s.x[j]))
		}
		s.x[j] = v
	}
}

// round solves the problem of the set.
func (s *solver) round(ctx context.Context, warm bool) error {
	s.res.Iterations, s.early, s.certified = 0, early{size: s.measure()}, false
	if err := s.load(ctx); err != nil {
		return err
	}
	if warm {
		if err := s.warm(); err != nil {
			return err
		}
	}
	err := s.sub.Solve(ctx, &s.res)
	s.iterations += s.res.Iterations
	s.operations += s.res.Work
	s.worked += float64(s.res.Iterations) * float64(s.small.p.A.NNZ()) / float64(max(1, s.p.A.NNZ()))
	return err
}

// Worked is the iterations of the last Solve, each as the share of the entries of the whole problem that it was for. Where smoothing finds
// the set, it visits all of them.
func (s *solver) Worked() float64 {
	if s.sampled {
		return float64(s.iterations)
	}
	return s.worked
}

// watched is a solver that lets some of its iterates be looked at. Where enough returns true the run ends with that point.
type watched interface {
	Watch(enough func(x []float64, res qpbackend.Residuals) bool)
}

// clearly is how many times an iterate's residual the violation of absent rows has to be to end a round.
// Source: docs/lab/large.md, "Rounds that end early".
const clearly = 10

// misses reports whether an iterate, x of the set's problem with its residuals, is clearly further from absent rows than from a solution: rows join
// whatever the rest of the round brings. Lengths are relative to the size of the point before the round: where
// the rows of the set have no solution, or one that is far, the iterates run off.
func (s *solver) misses(x []float64, res qpbackend.Residuals) bool {
	if s.rows == len(s.in) {
		return false
	}
	s.restore(&qpbackend.Result{X: x})
	s.missed = len(s.broken(clearly*res.Max()*s.size)) > 0
	return s.missed
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
	set := s.set
	set.Tol = s.tol
	sub, err := s.inner.New(ctx, &s.small.p, set)
	if err != nil {
		return err
	}
	s.sub, s.changed, s.stale = sub, false, false
	if w, ok := sub.(watched); ok && !s.sampled {
		w.Watch(s.misses)
	}
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
func (s *solver) next(ctx context.Context) (again bool, err error) {
	switch s.res.Status {
	case qpbackend.PrimalInfeasible:
		return qpbackend.PrimalInfeasibility(s.p, s.y, s.z) > s.set.InfeasTol && (s.yield(true) || s.all()), nil
	case qpbackend.DualInfeasible:
		return qpbackend.DualInfeasibility(s.p, s.x) > s.set.InfeasTol && (s.join(s.brokenByRay()) || s.all()), nil
	case qpbackend.Solved, qpbackend.AlmostSolved:
	default:
		return s.missed && s.join(s.broken(s.tolerance())) || s.all(), nil
	}
	tol := s.tolerance()
	if list := s.broken(tol); s.sampled {
		again, err = s.follow(ctx, list, tol)
	} else {
		again = s.join(list)
		again = s.yield(false) || again
	}
	if again || err != nil {
		return again, err
	}
	small := s.res.Res
	s.res.Res = s.set.Certify(context.Background(), s.p, nil, s.x, s.y, s.z, s.certify)
	if s.res.Status == qpbackend.Solved && !(s.res.Res.Max() <= s.set.Tol) && (s.sharpen(small) || s.all()) {
		return true, nil
	}
	s.certified = true
	s.age(tol)
	return false, nil
}

// sharpen asks for more accuracy, once: residuals are relative, and beside the costs of affine terms those of the smaller problem, which are given,
// may be less than those of the whole one.
func (s *solver) sharpen(small qpbackend.Residuals) bool {
	if s.tol < s.set.Tol {
		return false
	}
	whole, share := s.res.Res, 1.0
	for _, r := range [...]struct{ small, whole float64 }{{small.Primal, whole.Primal}, {small.Dual, whole.Dual}, {small.Gap, whole.Gap}} {
		if r.whole > s.set.Tol {
			share = min(share, r.small/r.whole)
		}
	}
	s.tol = max(s.set.Tol*share/2, finest)
	s.changed = true
	return true
}

// finest is the least tolerance that is asked for. Source: derived: some thousand units of rounding.
const finest = 1e-12

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
func (s *solver) answer(dst *qpbackend.Result) {
	x, y, z := append(dst.X[:0], s.x...), append(dst.Y[:0], s.y...), append(dst.Z[:0], s.z...)
	*dst = qpbackend.Result{Status: s.res.Status, X: x, Y: y, Z: z, Objective: s.res.Objective, Res: s.res.Res,
		Iterations: s.iterations, Work: s.operations, Message: s.res.Message}
	switch dst.Status {
	case qpbackend.PrimalInfeasible, qpbackend.DualInfeasible:
		return
	}
	dst.Objective = s.p.Objective(x)
	if !s.certified {
		dst.Res = s.set.Certify(context.Background(), s.p, nil, x, y, z, s.certify)
	}
}

// fail is the end where sub could not try: where ctx has ended, dst is the last point.
func (s *solver) fail(ctx context.Context, dst *qpbackend.Result, err error) error {
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
	s.answer(dst)
	return err
}
