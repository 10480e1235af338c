package reduce

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/base"
)

// solver is the only implementation of Solver.
type solver struct {
	base.Solver
	rest   qpbackend.Backend
	red    Reduced
	shares bool

	news  qpbackend.Update // values that have changed since the last Apply
	task  Task             // the last one
	inner qpbackend.Solver // of the task's problem; nil: there is none yet
	plain bool             // that is P

	goal    Goal
	confirm func(ctx context.Context, x, y, z []float64) bool

	res    qpbackend.Result // of inner
	answer qpbackend.Result // the last one; Unknown where values have changed since
	sure   bool             // it is a solution that confirms has seen
	whole  qpbackend.Solver // of P, by the last backend; nil: nobody has needed it
	stale  bool             // it lacks values of P that have changed
	fell   bool             // it had to find the answer
	total  effort           // of the present solve
	work   []float64
}

// effort is the work of several solves.
type effort struct {
	iterations   int
	work, shares float64
}

// New makes a solver that is a Solver, or one of the embedded Backend where the reduction leaves
// the problem as it is.
func (b Backend) New(
	ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings,
) (qpbackend.Solver, error) {
	prepare := qpbackend.Prepare
	if b.Shares {
		prepare = qpbackend.PrepareValues
	}
	own, err := prepare(ctx, b, p, set)
	if err != nil {
		return nil, err
	}
	if b.Shares && p.A != nil {
		own.A.Val = p.A.Val
	}
	return b.open(ctx, own, set)
}

// open is New for a problem that is the chain's own.
func (b Backend) open(
	ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings,
) (qpbackend.Solver, error) {
	red, err := b.Reduction.New(ctx, p, set)
	if err != nil {
		return nil, err
	}
	if red == nil {
		return open(ctx, b.Backend, p, set)
	}
	s := &solver{Solver: base.Of(b, p, set), rest: b.Backend, red: red, shares: b.Shares}
	if err := s.prepare(ctx, Ask{First: true, News: All(s.P)}); err != nil {
		return nil, err
	}
	return s, nil
}

// open has a problem of this package's own solved by b.
func open(
	ctx context.Context, b qpbackend.Backend, p *qpbackend.Problem, set qpbackend.Settings,
) (qpbackend.Solver, error) {
	if c, ok := b.(Backend); ok {
		return c.open(ctx, p, set)
	}
	return b.New(ctx, p, set)
}

// last is the backend behind all reductions.
func (s *solver) last() qpbackend.Backend {
	b := s.rest
	for c, ok := b.(Backend); ok; c, ok = b.(Backend) {
		b = c.Backend
	}
	return b
}

// Update overwrites values; the next Solve passes on those that are not the ones before.
func (s *solver) Update(u qpbackend.Update) error {
	if err := s.Open(); err != nil {
		return err
	}
	var changed qpbackend.Update
	now, fits := All(s.P), true
	for k, v := range Values(&changed) {
		own, given := *Values(&now)[k], *Values(&u)[k]
		fits = fits && (given == nil || len(own) == len(given))
		if given != nil && !slices.Equal(own, given) {
			*v = given
		}
	}
	if s.shares && fits {
		s.overwrite(u)
		changed.A = u.A // which may have been changed where it is
	} else if err := s.P.Apply(u); err != nil {
		return err
	}
	s.note(changed)
	return nil
}

// overwrite is Apply without a look at the values, and shares A.
func (s *solver) overwrite(u qpbackend.Update) {
	if u.A != nil {
		s.P.A.Val = u.A
	}
	now := All(s.P)
	for k, v := range Values(&now) {
		copy(*v, *Values(&u)[k])
	}
}

// Vectors is how many of Values are costs, bounds and sides: the others are matrices.
const Vectors = 5

// Values are the slices of an update: Q, Lo, Hi, L, U, P and A.
func Values(u *qpbackend.Update) [7]*[]float64 {
	return [...]*[]float64{&u.Q, &u.Lo, &u.Hi, &u.L, &u.U, &u.P, &u.A}
}

// note adds to the news the values of P that have come with u.
func (s *solver) note(u qpbackend.Update) {
	now := All(s.P)
	for k, v := range Values(&s.news) {
		if *Values(&u)[k] != nil {
			*v = *Values(&now)[k]
		}
	}
	if has(u) {
		s.answer.Status, s.stale = qpbackend.Unknown, true
	}
}

// has reports whether there are values in u.
func has(u qpbackend.Update) bool {
	f := Values(&u)
	return slices.ContainsFunc(f[:], func(v *[]float64) bool { return *v != nil })
}

// prepare lets the reduction say what is to be solved, and brings inner up to date. After an error
// inner is made anew.
func (s *solver) prepare(ctx context.Context, ask Ask) (err error) {
	defer func() {
		if err != nil {
			s.drop()
			s.news = All(s.P)
		}
	}()
	t, err := s.red.Apply(ctx, s.P, ask)
	if err != nil {
		return err
	}
	if s.news = (qpbackend.Update{}); t.Nothing {
		s.drop() // it does not get the news
		s.task = t
		return nil
	}
	set, plain := s.Set, t.Problem == nil
	if plain {
		t.Problem, t.News, t.Keep, t.Start, t.Goal, t.Early = s.P, ask.News, true, ask.Start, ask.Goal, Passed
	}
	if t.Tol > 0 {
		set.Tol = t.Tol
	}
	if s.inner != nil && plain == s.plain && t.Keep {
		err = s.send(t.Problem, t.News)
	} else {
		s.drop()
		s.inner, err = open(ctx, s.rest, t.Problem, set)
	}
	s.task, s.plain = t, plain
	if err != nil {
		return s.asStated(err)
	}
	s.hook()
	return nil
}

// send gives inner values that have changed.
func (s *solver) send(p *qpbackend.Problem, news qpbackend.Update) error {
	if in, ok := s.inner.(*solver); ok { // whose P is p, or was
		in.P = p
		in.note(news)
		return nil
	}
	if !has(news) {
		return nil
	}
	return s.inner.Update(news)
}

// hook gives inner the functions that it may ask. Without that power its solves go on to their end.
func (s *solver) hook() {
	if c, ok := s.inner.(Confirmer); ok {
		var f func(ctx context.Context, x, y, z []float64) bool
		switch {
		case s.plain:
			f = s.confirm
		case s.task.Confirm:
			f = s.confirms
		}
		_ = c.Confirm(f)
	}
}

// asStated names a variable of P where err names one of the problem in its place.
func (s *solver) asStated(err error) error {
	var nonconvex *qpbackend.NonconvexError
	if s.task.Cols != nil && errors.As(err, &nonconvex) && nonconvex.Index >= 0 {
		if k := nonconvex.Index; k < len(s.task.Cols) {
			nonconvex.Index = s.task.Cols[k]
		} else {
			nonconvex.Index = -1
		}
	}
	return err
}

// Solve solves the problems of the reduction until it has an answer.
func (s *solver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	if err := s.Open(); err != nil {
		return err
	}
	ask := Ask{News: s.news, Goal: s.goal, Start: s.TakeStart()}
	s.goal, s.answer.Status, s.total, s.fell = Goal{}, qpbackend.Unknown, effort{}, false
	verdict, err := s.round(ctx, ask, dst)
	for err == nil && verdict == Again {
		ask = Ask{Round: ask.Round + 1}
		verdict, err = s.round(ctx, ask, dst)
	}
	if err != nil && ctx.Err() != nil {
		dst.Status = qpbackend.Interrupted(ctx.Err())
	}
	if verdict != Measured {
		s.measure(ctx, dst)
	}
	if err == nil && verdict == Checked && !s.holds(dst) {
		err = s.solveWhole(ctx, dst)
	}
	s.total.write(dst)
	a := &s.answer
	a.Status = dst.Status
	a.X, a.Y, a.Z = append(a.X[:0], dst.X...), append(a.Y[:0], dst.Y...), append(a.Z[:0], dst.Z...)
	return err
}

// round solves the next problem of the reduction, and fills dst.
func (s *solver) round(ctx context.Context, ask Ask, dst *qpbackend.Result) (Verdict, error) {
	if err := s.prepare(ctx, ask); err != nil {
		s.unsolved(ask.Start.X, dst)
		return Final, err
	}
	t := &s.task
	s.total.iterations += t.Spent
	s.total.shares += float64(t.Spent)
	if t.Nothing {
		*dst = qpbackend.Result{X: dst.X, Y: dst.Y, Z: dst.Z}
		return s.red.Invert(ctx, s.P, nil, dst)
	}
	if t.Start.Given() {
		if err := s.inner.WarmStart(t.Start.X, t.Start.Y, t.Start.Z); err != nil {
			return Measured, err
		}
	}
	if e, ok := s.inner.(EarlyEnder); ok && t.Goal.At != nil {
		_ = e.Enough(t.Goal.At, t.Goal.Least) // it is a permission
	}
	if s.sure = false; s.plain {
		err := s.inner.Solve(ctx, dst)
		s.total.add(dst, 1)
		return Measured, err
	}
	err := s.inner.Solve(ctx, &s.res)
	s.total.add(&s.res, t.Share)
	if err != nil && ctx.Err() == nil {
		return Measured, s.asStated(err)
	}
	x, y, z := dst.X, dst.Y, dst.Z
	*dst = s.res
	dst.X, dst.Y, dst.Z = x, y, z
	if s.sure && s.res.Status == qpbackend.Solved {
		a := &s.answer
		dst.X, dst.Y, dst.Z = append(x[:0], a.X...), append(y[:0], a.Y...), append(z[:0], a.Z...)
		dst.Objective, dst.Res = a.Objective, a.Res
		return Measured, err
	}
	verdict, wrong := s.red.Invert(ctx, s.P, &s.res, dst)
	if err == nil {
		err = wrong
	}
	return verdict, err
}

// unsolved makes dst a point where there was no solve: the start, or 0.
func (s *solver) unsolved(start []float64, dst *qpbackend.Result) {
	n, m := s.P.Dims()
	x := make([]float64, n)
	copy(x, start)
	*dst = qpbackend.Result{X: x, Y: make([]float64, m), Z: make([]float64, n)}
}

// measure sets the objective and the residuals of dst.
func (s *solver) measure(ctx context.Context, dst *qpbackend.Result) {
	dst.Res = qpbackend.Residuals{}
	switch dst.Status {
	case qpbackend.PrimalInfeasible:
		dst.Objective = math.Inf(1)
		return
	case qpbackend.DualInfeasible:
		dst.Objective = math.Inf(-1)
		return
	}
	if s.work == nil {
		s.work = make([]float64, qpbackend.CertifyLen(s.P))
	}
	dst.Objective = s.P.Objective(dst.X)
	dst.Res = s.Set.Certify(ctx, s.P, nil, dst.X, dst.Y, dst.Z, s.work)
}

// holds reports whether dst has the worth for P that its status promises.
func (s *solver) holds(dst *qpbackend.Result) bool {
	switch dst.Status {
	case qpbackend.PrimalInfeasible:
		return qpbackend.PrimalInfeasibility(s.P, dst.Y, dst.Z) <= s.Set.InfeasTol
	case qpbackend.DualInfeasible:
		return qpbackend.DualInfeasibility(s.P, dst.X) <= s.Set.InfeasTol
	case qpbackend.NumericalTrouble:
		return false
	case qpbackend.AlmostSolved:
		if !(dst.Res.Max() <= s.Set.Tol) {
			return dst.Res.Max() <= min(math.Sqrt(s.Set.Tol), 1e-5) // as package ipm
		}
		dst.Status, dst.Message = qpbackend.Solved, ""
	case qpbackend.Solved:
		return dst.Res.Max() <= s.Set.Tol
	}
	return true
}

// confirms reports whether a point of the task's problem is a solution of P.
func (s *solver) confirms(ctx context.Context, x, y, z []float64) bool {
	from, to := qpbackend.Result{Status: qpbackend.Solved, X: x, Y: y, Z: z}, &s.answer
	if _, err := s.red.Invert(ctx, s.P, &from, to); err != nil {
		return false
	}
	s.measure(ctx, to)
	s.sure = to.Res.Max() <= s.Set.Tol && (s.confirm == nil || s.confirm(ctx, to.X, to.Y, to.Z))
	return s.sure
}

// solveWhole solves P as it is.
func (s *solver) solveWhole(ctx context.Context, dst *qpbackend.Result) error {
	s.fell = true
	err := s.needWhole(ctx)
	if err != nil {
		s.unsolved(nil, dst)
		if ctx.Err() != nil {
			dst.Status = qpbackend.Interrupted(ctx.Err())
			s.measure(ctx, dst)
		}
		return err
	}
	err = s.whole.Solve(ctx, dst)
	s.total.add(dst, 1)
	return err
}

// needWhole makes the solver of P, or gives it the values that it lacks.
func (s *solver) needWhole(ctx context.Context) (err error) {
	if s.whole == nil {
		s.whole, err = s.last().New(ctx, s.P, s.Set)
	} else if s.stale {
		err = s.whole.Update(All(s.P))
	}
	s.stale = s.stale && err != nil
	return err
}

// drop closes inner.
func (s *solver) drop() (err error) {
	if s.inner != nil {
		err = s.inner.Close()
	}
	s.inner = nil
	return err
}

// Close frees all solvers.
func (s *solver) Close() error {
	if s.whole != nil {
		s.whole.Close()
	}
	s.whole = nil
	err := s.drop()
	s.Solver.Close()
	return err
}

// add adds a solve of which an iteration counts as a share of one for the problem as stated.
func (e *effort) add(res *qpbackend.Result, share float64) {
	if share == 0 {
		share = 1
	}
	if res.Share > 0 {
		share *= res.Share
	}
	e.iterations += res.Iterations
	e.work += res.Work
	e.shares += float64(res.Iterations) * share
}

func (e *effort) write(dst *qpbackend.Result) {
	dst.Iterations, dst.Work, dst.Share = e.iterations, e.work, 0
	if e.shares != float64(e.iterations) {
		dst.Share = e.shares / float64(e.iterations)
	}
}
