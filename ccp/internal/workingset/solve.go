package workingset

import (
	"context"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/reduce"
)

// working is the whole problem and the working set.
type working struct {
	p     *qpbackend.Problem
	set   qpbackend.Settings
	least int // rows that join at once
	*shape
	lines
	members
	small reduced
	work
	earlyEnd
	chosen  bool // there is a set
	changed bool // small is not the problem of the set
	stale   bool // small has not the present values
	dual    bool // the solve begins at a point with multipliers
	sampled bool // the rows are those of samples
	box
	progress
}

// progress is how the solution of one problem goes.
type progress struct {
	spent     int     // iterations of smooth since the last task
	tol       float64 // asked of the small problem's solver
	certified bool    // res has the residuals of the whole problem
}

// work is memory that lasts: the last point, its products with the rows, and lists.
type work struct {
	x, y, z, ax []float64
	certify     []float64
	list        []candidate
	res         qpbackend.Result // of the small problem
	smoothed    *smoothing       // the memory of smooth; nil: there is none yet
}

// earlyEnd is which points are enough, short of a solution.
type earlyEnd struct {
	from []float64 // the first entries of a point
	// the decrease of the objective from there that a point has to have; +Inf: only a solution is
	// enough
	decrease float64
	reached  bool
}

// share is that of the decrease of the objective from the given point by which a point that is
// enough may be above the least value. Source: docs/lab/large.md, "Points that are enough".
const share = 0.01

// endsEarly reports whether points that are enough are found: all columns beyond the first entries
// are terms of samples, the least values of which are known, and the others have bounds.
func (s *working) endsEarly(first int) bool {
	return s.sampled && !s.others() && !slices.Contains(s.term[:first], true) && !slices.Contains(s.term[first:], false)
}

// Apply makes the problem of the set. In round 0 it chooses the set for the neighbourhood of the
// start, of which x alone is enough.
func (s *working) Apply(ctx context.Context, p *qpbackend.Problem, ask reduce.Ask) (t reduce.Task, err error) {
	s.p = p
	if ask.Changed() {
		s.stale, s.read = true, s.read && ask.News.A == nil
	}
	if s.sampled && !s.others() {
		t.Early = reduce.Used
	}
	if ask.First {
		t.Nothing = true
		return t, nil
	}
	warm := false
	if ask.Round == 0 {
		s.take(ask.Start, ask.Goal)
		warm = s.dual
		s.tol, s.reached, s.spent = s.set.Tol, false, 0
		err = s.renew(ctx)
		if s.sampled {
			s.recentre(s.x, firstHalf)
			s.stale = true
		}
		s.dual = false
		if err != nil {
			return t, err
		}
		warm = warm && s.spent == 0 // with rows that have joined it takes as long
	}
	t.Spent, s.spent = s.spent, 0
	if t.Nothing = s.reached; !s.reached {
		s.load(&t)
	}
	if warm {
		r := &s.small
		t.Start = reduce.Point{X: make([]float64, len(r.cols)), Y: make([]float64, len(r.rows)),
			Z: make([]float64, len(r.cols))}
		reduce.Pick(t.Start.X, s.x, r.cols)
		reduce.Pick(t.Start.Y, s.y, r.rows)
		reduce.Pick(t.Start.Z, s.z, r.cols)
	}
	return t, nil
}

// take moves s.x to the start, or to the point from which the objective is to fall.
func (s *working) take(start reduce.Point, goal reduce.Goal) {
	if copy(s.x, start.X); start.X != nil {
		s.dual = start.Y != nil
	}
	if s.dual {
		clear(s.z)
		copy(s.y, start.Y)
		copy(s.z, start.Z)
	}
	s.readLines()
	s.earlyEnd.from = s.earlyEnd.from[:0]
	if n := len(goal.At); n > 0 && s.endsEarly(n) {
		s.earlyEnd.from, s.earlyEnd.decrease = append(s.earlyEnd.from, goal.At...), goal.Least
		copy(s.x, goal.At)
	}
}

// load fills in the task.
func (s *working) load(t *reduce.Task) {
	r := &s.small
	s.certified = false
	switch {
	case !s.changed && !s.stale:
		t.Keep = true
	case !s.changed && s.values():
		t.Keep, t.News = true, reduce.All(&r.p)
	default:
		s.build()
	}
	s.changed, s.stale = false, false
	t.Problem, t.Cols, t.Tol = &r.p, r.cols, s.tol
	if !s.sampled { // else smoothing visits all rows
		t.Share = float64(r.p.A.NNZ()) / float64(max(1, s.p.A.NNZ()))
	}
}

// Invert makes the answer for the set one of the whole problem, or lets rows join that it breaks.
func (s *working) Invert(
	ctx context.Context, _ *qpbackend.Problem, from, to *qpbackend.Result,
) (verdict reduce.Verdict, err error) {
	if from == nil { // smooth has the answer
		to.Status, to.Message = s.res.Status, s.res.Message
	} else {
		s.res = *from
		if s.restore(from); ctx.Err() == nil && s.next() {
			return reduce.Again, nil
		}
	}
	to.X, to.Y, to.Z = append(to.X[:0], s.x...), append(to.Y[:0], s.y...), append(to.Z[:0], s.z...)
	if s.certified {
		to.Objective, to.Res = s.p.Objective(s.x), s.res.Res
		return reduce.Measured, nil
	}
	return reduce.Final, ctx.Err()
}

// next changes the set where the answer is none of the whole problem. It reports whether
// there is another round.
func (s *working) next() (again bool) {
	switch s.res.Status {
	case qpbackend.PrimalInfeasible:
		return qpbackend.PrimalInfeasibility(s.p, s.y, s.z) > s.set.InfeasTol &&
			(s.enlarge() || s.yield(true) || s.all())
	case qpbackend.DualInfeasible:
		return qpbackend.DualInfeasibility(s.p, s.x) > s.set.InfeasTol && (s.join(s.broken(0, true)) || s.all())
	case qpbackend.Solved, qpbackend.AlmostSolved:
	default:
		return s.all()
	}
	again = s.join(s.broken(s.tolerance(), false))
	if s.yield(false) || again {
		return true
	}
	if s.certify == nil {
		s.certify = make([]float64, qpbackend.CertifyLen(s.p))
	}
	small := s.res.Res
	s.res.Res = s.set.Certify(context.Background(), s.p, nil, s.x, s.y, s.z, s.certify)
	if s.res.Status == qpbackend.Solved && !(s.res.Res.Max() <= s.set.Tol) &&
		(s.enlarge() || s.sharpen(small) || s.all()) {
		return true
	}
	s.certified = true
	return false
}

// sharpen asks for more accuracy, once: residuals are relative, and beside the costs of affine
// terms those of the smaller problem, which are given, may be less than those of the whole one.
func (s *working) sharpen(small qpbackend.Residuals) bool {
	if s.tol < s.set.Tol {
		return false
	}
	whole, share := s.res.Res, 1.0
	for _, r := range [...]struct{ small, whole float64 }{
		{small.Primal, whole.Primal}, {small.Dual, whole.Dual}, {small.Gap, whole.Gap}} {
		if r.whole > s.set.Tol {
			share = min(share, r.small/r.whole)
		}
	}
	s.tol = max(s.set.Tol*share/2, finest)
	s.changed = true
	return true
}

// finest is the least tolerance that is asked for. Source: derived: some thousand units of
// rounding.
const finest = 1e-12

// all takes all rows into the set; it returns false where they are.
func (s *working) all() bool {
	for _, j := range s.terms {
		s.changed = s.changed || s.state[j] != free
		s.release(j)
	}
	for i := range s.in {
		s.include(int32(i))
	}
	return s.changed
}
