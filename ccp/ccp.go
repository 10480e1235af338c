package ccp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dcopt/dcopt/ccp/internal/accel"
	"github.com/dcopt/dcopt/ccp/internal/diagnose"
	"github.com/dcopt/dcopt/ccp/internal/penalty"
	"github.com/dcopt/dcopt/ccp/internal/search"
	"github.com/dcopt/dcopt/ccp/internal/stop"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// Solve runs the convex-concave procedure on p from x0, of length p.NumVars(); nil:
// from p.Start(set.Seed).
//
// An error without a Result is a refusal: settings out of range, x0 of wrong length, a
// problem that the backend does not take. When the context ends, or the recorder
// returns an error, that error comes together with the best point so far.
func Solve(ctx context.Context, p *dc.Problem, x0 []float64, set Settings) (res *Result, err error) {
	defer recovered(&err)
	if err := check(p, set); err != nil {
		return nil, err
	}
	if x0 == nil {
		return solveDrawn(ctx, p, set.Seed, set, 0, &known{})
	}
	return compileAndRun(ctx, p, x0, set, 0, origin{})
}

// descend is the local search, Lipp and Boyd 2016, Algorithm 3.1, from z.
func (r *run) descend(ctx context.Context, m search.Move) (*outcome, error) {
	r.tip = r.sub
	for n := 1; r.more(0); n++ {
		r.k++
		if err := r.linearise(); err != nil { // 1. convexify
			return r.giveUp(NotANumber, err.Error()), nil
		}
		it, end, err := r.solveConvex(ctx) // 2. solve
		if err != nil || end != nil {
			return end, err
		}
		if r.timid(it) {
			continue
		}
		if m.Lost != nil && m.Lost(r.trial(n, it)) {
			return conclude(GivenUp, ""), nil
		}
		// 4. stop
		if end, err := r.decide(ctx, r.facts(ctx, it), &it); err != nil || end != nil {
			return end, err
		}
		if end, err := r.update(ctx, it); err != nil || end != nil { // 3. update τ
			return end, err
		}
	}
	return r.giveUp(r.limit(), r.obstacle()), nil
}

// localSearch is the descent and, where the problem has nonlinear equations, Newton's
// method. To do without it, delete its line.
func (r *run) localSearch() local {
	around := local(r.descend)
	around = r.newton(around)
	return around
}

// linearise linearises at z; where h is not finite it restarts from another point, as
// often as a run may.
func (r *run) linearise() error {
	r.sub.SizeUp(r.z, false)
	err := r.sub.Linearise(r.z, r.penalty.Tau)
	for ; err != nil && r.penalty.Restarts < penalty.MostRestarts; err = r.sub.Linearise(r.z, r.penalty.Tau) {
		r.restart()
	}
	return err
}

// solve is the local search from the start, then the searches around where it has
// converged.
func (r *run) solve(ctx context.Context) (*outcome, error) {
	if end, err := r.prepare(ctx); err != nil || end != nil {
		return end, err
	}
	end, err := r.means.local(ctx, search.Move{})
	if err != nil || !end.rests() {
		return r.settle(ctx, end, err)
	}
	if r.proved() || r.set.Effort == Local && r.holding.point != nil && r.holding.slope <= 1 {
		return r.rest(ctx), nil
	}
	return r.improve(ctx, end)
}

// fails reports whether the backend has ended the run at a point that keeps the constraints, of a problem that is not convex and
// small enough for directions.
func (r *run) fails(end *outcome) bool {
	s := end.status()
	if r.sub.Convex() || !r.res.Feasible || s != Numerical && s != Stalled || end.reason == GivenUp {
		return false
	}
	can, _ := r.kinds().Judge()
	return can
}

// settle goes down by values and gradients from the best point of a run whose convex problems the backend cannot solve. From
// each lower point the procedure is tried again. The point is converged, as any other is, where no small step betters it.
// Another end stays as it is.
func (r *run) settle(ctx context.Context, end *outcome, err error) (*outcome, error) {
	if err != nil || !r.fails(end) {
		return end, err
	}
	r.budget.Afford(settleWork)
	for n := range search.MostLeads {
		p := r.point()
		m, leads := r.kinds().Leads(&p)
		if !leads {
			_, rest := r.kinds().Judge()
			switch far := r.where.Distance(r.res.X); {
			case far > diagnose.Far*diagnose.Far:
				r.far = true
				end = r.giveUp(NotStationary, end.message)
			case rest:
				end = r.rest(ctx, plainEnds[BackendFailed].message, end.message)
			}
			return end, nil
		}
		r.follow(m)
		if err := ctx.Err(); err != nil {
			return ended(ctx, err)
		}
		if m.Slight || n >= mostTries {
			continue
		}
		if end, err = r.localAgain(ctx, m); err == nil && end.rests() {
			return r.improve(ctx, end)
		}
		if err != nil || !r.fails(end) {
			return end, err
		}
	}
	return end, nil
}

// settleWork is the work, as of Budget.Spent, that pays for the looks of settle. Source: a limit of time; it is some .1 s.
const settleWork = 2e6

// mostTries bounds the points from which settle tries the procedure again. Source: as Search.Coordinates of the heuristics.
const mostTries = 5

// proved reports whether the multipliers of a convex problem leave so little of its
// objective open that no search finds a decrease that counts, or the objective is constant.
func (r *run) proved() bool {
	return r.res.Feasible && r.p.Objective.IsConst() || r.sub.Convex() && !r.sub.Damped() && r.res.Feasible && r.gap.Proved
}

// run solves and completes the result; a panic in a user's code becomes an error, and
// the best point stays.
func (r *run) run(ctx context.Context) (res *Result, err error) {
	defer r.close()
	t := time.Now()
	defer r.afterPanic(&res, &err, t)
	end, err := r.solve(ctx)
	if err != nil && end == nil {
		return nil, err // a refusal
	}
	r.polish(ctx, end)
	return r.finish(end, t), err
}

// afterPanic makes a result and an error of a panic. It is for deferred calls.
func (r *run) afterPanic(res **Result, err *error, t time.Time) {
	if v := recover(); v != nil {
		*err = caught(v)
		*res = r.finish(conclude(Panicked, (*err).Error()), t)
	}
}

// finish completes the result: here alone a status is written.
func (r *run) finish(end *outcome, t time.Time) *Result {
	res := r.res
	last := end.status()
	end = r.known(r.excluded(end))
	res.Status, res.Message, res.end = end.status(), end.message, end
	switch res.Status {
	case Infeasible:
		res.Objective = r.minimised(math.Inf(1))
	case Unbounded:
		res.Objective = r.minimised(math.Inf(-1))
	}
	r.boundDefined()
	res.concluded = res.Objective
	w := r.worthOf(res.X)
	res.Worst, res.ObjectiveError = w.broken.Where(), w.err
	if res.Status == Cancelled || res.Status == TimeLimit {
		if res.Message = r.obstacleAt(); len(res.History) == 0 {
			res.Message = beforeFirst
		}
	}
	res.sub = r.sub
	res.work, res.final, res.least = r.budget.Taken(), r.final(), r.leastDifference(res, w.size)
	res.Seconds.Solve = r.seed.before + subproblem.Since(t)
	res.Seconds.Backend = r.sub.Session.Seconds
	certified := func() bool {
		off := qpbackend.PrimalInfeasibility(r.sub.Stated(), r.sub.Session.Res.Y, r.sub.Session.Res.Z)
		return off <= r.means.backend.DefaultSettings().InfeasTol
	}
	switch {
	case res.Status != last, res.Status == Infeasible && res.Iterations > 0 && !certified():
		// ranges alone show the end, and multipliers nothing
		res.take(subproblem.Multipliers{})
	case res.NoMultipliers != nil:
	case res.Duals == nil && res.Iterations > 0:
		res.take(r.duals(subproblem.Multipliers{}))
	case res.Status == Converged && res.Duals != nil:
		h := r.holding
		if h.point == nil || !slices.Equal(h.point.X, res.X) {
			r.means.point = h.point // nothing else has it now
			h = holding{point: r.examined(res.X)}
			r.holding = h
		}
		if h.residual.Kinked { // its multipliers are any of many
			break
		}
		if c, change := h.point.Loose(res.Duals, r.set.FeasTol); c != nil {
			const format = "the tolerance of feasible points decides the objective: %s may change it by %.2g"
			res.Loose = &Loose{c.Name(), change}
			res.Message = joined(res.Message, fmt.Sprintf(format, c.Name(), change))
		}
	}
	return res
}

// known is end, which is no convergence where rounding errors leave more of the objective open than
// values of points differ by that the first-order conditions hold at, √Tol of its size; where only
// values say that no point is better, Tol of it.
func (r *run) known(end *outcome) *outcome {
	w, open := r.worthOf(r.res.X), math.Sqrt(r.set.Tol)
	if end.reason == Still {
		open = r.set.Tol
	}
	if end.status() != Converged || !(w.err > open*w.size) || !(w.err > open*r.p.ObjectiveUnit(r.res.X)) {
		return end
	}
	const why = "rounding errors change the objective by up to %.2g: it may have no least value, as next to a pole"
	return r.giveUp(Rounding, fmt.Sprintf(why, w.err), end.message)
}

// boundDefined puts the variables of the best point that an equation defines into their bounds, where it keeps the constraints then as well
// as before: the equation is broken by as much as the bound was.
func (r *run) boundDefined() {
	if r.p.Defined() == nil {
		return
	}
	x := slices.Clone(r.res.X)
	if !r.p.BoundDefined(x) {
		return
	}
	var it Iteration
	r.measure(&it, x)
	if rank(it.Feasible, it.Feasible || it.Relative <= r.set.FeasTol) == rank(r.res.Feasible, r.res.nearly) && num.Finite(it.Objective) {
		r.res.X, r.res.Violation = x, it.Violation
		if num.Finite(r.res.Objective) {
			r.res.Objective = it.Objective
		}
	}
}

// prepare moves the start into the domains if need be, scales τ and opens the solver.
func (r *run) prepare(ctx context.Context) (*outcome, error) {
	if end, err := r.moveInside(ctx); err != nil || end != nil {
		return end, err
	}
	r.sub.SizeUpOnce(r.z)
	if (r.sub.Linearise(r.z, r.penalty.Tau) != nil || !num.Finite(r.p.Objective.Value(r.z))) && !r.pull() || r.set.TauRelative && r.scaleTau(ctx) != nil {
		return noTangents(ctx)
	}
	return r.open(ctx)
}

// noTangents is the end of a run that has none at its start.
func noTangents(ctx context.Context) (*outcome, error) {
	if err := ctx.Err(); err != nil {
		return ended(ctx, err)
	}
	return conclude(NoTangent, ""), nil
}

// scaleTau makes τ a multiple of the slopes at z. Each of its three steps looks at every constraint.
func (r *run) scaleTau(ctx context.Context) error {
	if len(r.sub.Compiled.Slacks) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r.sub.SetPrices(r.z)
	if err := ctx.Err(); err != nil {
		return err
	}
	objective, constraint := r.sub.Slopes(r.z)
	if err := ctx.Err(); err != nil {
		return err
	}
	r.penalty.Scale(objective, constraint, r.seed.share)
	return r.sub.Linearise(r.z, r.penalty.Tau)
}

// moveInside moves a start that is outside the domains or, if it was drawn, breaks convex
// constraints. The run ends where the start breaks a constraint that holds nowhere.
func (r *run) moveInside(ctx context.Context) (*outcome, error) {
	if err := ctx.Err(); err != nil {
		return ended(ctx, err)
	}
	if end := r.outOfRange(); end != nil {
		return end, nil
	}
	if r.sub.Compiled.Inside(r.z) && !(r.seed.drawn && r.sub.BreaksHard(r.z, r.set.FeasTol)) ||
		r.sub.Convex() && num.Finite(r.p.Objective.Value(r.z)) { // of which the start decides nothing
		return nil, nil
	}
	z, err := subproblem.Project(ctx, r.p, r.sub, r.z, r.means.backend)
	if ctx.Err() != nil {
		return ended(ctx, ctx.Err())
	}
	if err != nil { // the start has no finite distance, or the convex problem is refused as well
		return nil, nil
	}
	copy(r.z, z)
	copy(r.where.Start, z)
	return nil, nil
}

// mostPulls is how often a random start is pulled: four times by a half, four times by a quarter,
// and so on.
// Source: derived: 2098 halvings lead from the largest float64 to the least.
const mostPulls = 128

// pull moves a random start where a function is beyond all numbers towards the
// point of the bounds nearest to 0. It reports whether there are tangents then.
func (r *run) pull() bool {
	for n := 0; r.seed.drawn && n < mostPulls; n++ {
		moved, share := false, math.Ldexp(1, -1-n/4)
		for j, v := range r.z {
			r.z[j] = min(max(v*share, r.where.Lo[j]), r.where.Hi[j])
			moved = moved || r.z[j] != v
		}
		r.p.Pin(r.z)
		if !moved || r.sub.Linearise(r.z, r.penalty.Tau) == nil && num.Finite(r.p.Objective.Value(r.z)) {
			break
		}
	}
	copy(r.x, r.z)
	copy(r.where.Start, r.z)
	r.sub.SizeUp(r.z, true)
	return r.sub.Linearise(r.z, r.penalty.Tau) == nil
}

// kinds are the searches, made when they are first asked for.
func (r *run) kinds() *search.Kinds {
	if r.means.kinds == nil {
		r.means.kinds = r.searches()
	}
	return r.means.kinds
}

// searches are those around the local one, in the order in which they are tried. To do
// without one, delete its line. Compass and Slopes move a little, and so come last: a hop from a
// point that they have moved begins with tangents that lead to fewer others.
func (r *run) searches() *search.Kinds {
	around := search.Around{
		Sub: r.sub, Budget: &r.budget, Seed: r.set.Seed, Start: uint64(r.res.Start), Lo: r.where.Lo, Hi: r.where.Hi,
		Slip: r.slip(), Values: new(search.Values), Tol: r.set.Tol, Noise: r.noise, Size: r.p.ObjectiveVariation,
		Draw: func(seed uint64) []float64 { return drawn(r.p, seed) }, More: func() bool { return r.more(0) },
	}
	compass := &search.Compass{Around: around, Most: r.set.Heuristics.Search.Coordinates}
	slopes := search.Slopes{Around: around, Off: r.set.Heuristics.Search.Coordinates == 0}
	return &search.Kinds{Moves: []search.Kind{
		&search.Coordinates{Around: around, Most: r.set.Heuristics.Search.Coordinates},
		&search.Decisions{Around: around, Off: !r.set.Heuristics.Search.Decisions},
		&search.Descents{Around: around, Most: r.set.Heuristics.Search.Descents},
		&search.BasinHopping{Around: around, Most: r.set.Heuristics.Search.Hops},
		compass,
	}, Compass: compass, Slopes: slopes}
}

// acceleration is the device that makes a descent faster, nil for none. To do without, delete its line.
func (r *run) acceleration() (used accel.Device) {
	if r.set.Heuristics.Acceleration.LineSearch && !r.sub.Convex() {
		used = &accel.LineSearch{}
	}
	return used
}

// localAgain is a local search after another one, which has closed the solver where the backend refused its last convex problem.
func (r *run) localAgain(ctx context.Context, m search.Move) (*outcome, error) {
	if r.sub.Session.Solver == nil {
		switch end, err := r.reopen(ctx); {
		case ctx.Err() != nil || end != nil:
			return end, err
		case err != nil:
			return r.giveUp(BackendFailed, err.Error()), nil
		}
	}
	return r.means.local(ctx, m)
}

// improve searches around the point at which the local search has converged, until the
// best point is at rest.
func (r *run) improve(ctx context.Context, end *outcome) (*outcome, error) {
	p := r.point()
	r.budget.Ended = func() bool { return ctx.Err() != nil }
	var err error
	local := func(m search.Move) search.Outcome {
		r.follow(m)
		end, err = r.localAgain(ctx, m)
		o := search.Outcome{Converged: end.rests()}
		o.Over = err != nil || end.status() == Unbounded || end.status() == Cancelled
		o.Better = o.Converged && m.Restart != search.Anew || r.best() < p.Objective-r.counts()
		if o.Better && o.Converged {
			o.At = r.point()
		}
		return o
	}
	for n := 0; ; n++ {
		if last := r.kinds().Until(local, &p); last != nil && last.Over {
			return end, err
		}
		if ctx.Err() != nil {
			return ended(ctx, ctx.Err())
		}
		if _, off := r.infimum(r.res.X); off {
			break
		}
		before := r.best()
		m, leads := r.lead()
		if ctx.Err() != nil {
			return ended(ctx, ctx.Err())
		}
		if !leads && r.strayed() && !r.patient { // no multipliers hold the best point
			m = search.Move{X: slices.Clone(r.res.X), Z: slices.Clone(r.res.X), Restart: search.Jump}
			leads, r.patient = true, true
			r.sub.Refit(r.res.X)
			r.sub.Session.Res.Status = qpbackend.Unknown
			if end, err := r.tighten(ctx, r.usualTol()); err != nil || end != nil {
				return end, err
			}
		}
		if !leads || !r.more(0) && !r.falls(before, m) {
			break
		}
		switch {
		case !r.more(0):
			return r.giveUp(r.limit(), "the procedure has converged, but a small step leads to a lower point"), nil
		case n >= search.MostLeads:
			return r.giveUp(NotStationary, ""), nil
		}
		if local(m).Over {
			return end, err
		}
		p = r.point()
	}
	return r.rest(ctx), nil
}

// falls reports whether a move leads below the objective before by more than the rounding error of its values along the run.
func (r *run) falls(before float64, m search.Move) bool {
	at := Result{}
	at.Objective, at.ObjectiveError = r.p.Evaluate(m.X)
	gain, span := before-min(r.best(), at.certain(r.p.Maximize)), max(0, r.course.Range())
	return gain > math.Nextafter(span, math.Inf(1))-span
}

// lead is a move to a point that is lower than the best one by more than counts beside the terms of the objective. Slight moves are
// made on the way as long as they do not shrink: their sum can be more than that. ok is false where there is none.
func (r *run) lead() (m search.Move, ok bool) {
	from, gain := r.best(), 0.
	for range search.MostLeads {
		p, before := r.point(), r.best()
		if m, ok = r.kinds().Leads(&p); !ok || !m.Slight {
			return m, ok
		}
		r.follow(m)
		if from-r.best() > r.set.Tol*r.p.ObjectiveVariation(r.res.X) {
			return m, true
		}
		last := gain
		if gain = before - r.best(); gain < last/2 {
			break
		}
	}
	return search.Move{}, false
}

// point is where the local search has converged.
func (r *run) point() search.Point {
	return search.Point{
		X: append([]float64(nil), r.x...), Best: append([]float64(nil), r.res.X...),
		Tau: r.penalty.Tau, Objective: r.res.certain(r.p.Maximize), Least: r.counts(),
	}
}

// follow goes to where a move begins.
func (r *run) follow(m search.Move) {
	copy(r.x, m.X)
	copy(r.z, m.Z)
	switch m.Restart {
	case search.Jump:
		it := r.prev
		r.measure(&it, r.x)
		r.keep(it)
		r.prev = it
		r.prev.Objective = math.NaN()
	case search.Anew:
		r.penalty.Tau = m.Tau
		r.penalty.Recount()
		r.penalty.Restarts, r.recover.failures = penalty.MostRestarts, mostFailures // a failure ends the hop
		r.course.Again()
		r.slow()
		r.sub.Leap()
		r.prev = Iteration{Objective: math.NaN()}
		r.hop = m.Hop()
	}
}

// solveDrawn runs from the starting point of the seed, moved into the convex
// constraints if any of it was drawn at random.
func solveDrawn(ctx context.Context, p *dc.Problem, seed uint64, set Settings, start int, of *known) (*Result, error) {
	x0, from := p.Start(seed), origin{drawn: start > 0 || p.Random()}
	if start > 0 {
		x0 = drawn(p, seed)
		of.spread(p, x0, seed, set.Seed, start)
	}
	_, from.share = math.Modf(float64(start) * (math.Sqrt(5) - 1) / 2) // evenly spread
	if of.lead != nil && start%2 == 1 {
		from.share = search.Vary(x0, of.lead.X, seed)
	}
	if start == 1 {
		if x, lower := fromSamples(ctx, p, set); lower {
			x0 = x
		}
	}
	return compileAndRun(ctx, p, x0, set, start, from)
}

// compileAndRun is a run from x0.
func compileAndRun(ctx context.Context, p *dc.Problem, x0 []float64, set Settings, start int, from origin) (*Result, error) {
	if err := checkStart(p, x0); err != nil {
		return nil, err
	}
	x0 = boxed(p, x0)
	t := time.Now()
	sub, err := subproblem.CompileNear(ctx, p, set.around(x0))
	took := subproblem.Since(t)
	if err != nil {
		return uncompiled(ctx, p, x0, set, start, took, err)
	}
	r := newRun(p, sub, set)
	r.begin(x0, start, from, new(Result))
	r.res.Seconds.Compile = took
	return r.run(ctx)
}

// newRun has the means of runs on p with the convex problem sub.
func newRun(p *dc.Problem, sub *subproblem.Problem, set Settings) *run {
	r := &run{p: p, set: set, sub: sub, where: diagnose.Region{P: p, Tol: set.FeasTol, Convex: sub.Convex()}}
	r.means.backend, r.means.device = set.backend(), r.acceleration()
	r.means.local = r.localSearch()
	r.step.Space = accel.Space{Size: sub.Size, Merit: r.merit, Slip: r.slip()}
	return r
}

// begin makes r the run from x0, which is boxed and stays as it is, with its result in res.
func (r *run) begin(x0 []float64, start int, from origin, res *Result) {
	r.clear(x0, from)
	r.res = resultAt(res, r.p, x0, r.set, start)
}

// clear forgets the run before, whose memory is used again.
func (r *run) clear(x0 []float64, from origin) {
	sub, old := r.sub, *r
	sub.Calm()
	sub.SizeUp(x0, true)
	*r = run{p: old.p, set: old.set, sub: sub, tip: sub, seed: from, means: old.means, where: old.where,
		penalty: penalty.New(old.set.Tau0, old.set.TauMax, old.set.Mu),
		course:  stop.NewCourse(), gap: stop.Gap{Open: math.NaN()}, budget: search.NewBudget(sub)}
	r.recover.tol = r.usualTol()
	r.where.Move(x0, sub.Units.Of)
	r.where.Lo, r.where.Hi = r.p.AppendBox(r.where.Lo[:0], r.where.Hi[:0])
	sub.BoundDomains(r.where.Lo, r.where.Hi)
	sub.Session.Meter = &r.budget.Meter
	r.x, r.z, r.last.x = append(old.x[:0], x0...), append(old.z[:0], x0...), old.last.x[:0]
	r.prev.Objective = math.NaN()
	r.step = accel.Step{Space: old.step.Space,
		From: old.step.From[:0], Before: old.step.Before[:0], Plain: old.step.Plain[:0]}
	r.step.Lo, r.step.Hi = r.where.Lo, r.where.Hi
	r.means.takeBack(&old)
	r.slow()
}

// takeBack takes back the memory that the run before has used, and forgets all else of that run.
func (m *means) takeBack(old *run) {
	if k := old.kept; k != nil && m.rest == nil {
		m.rest = k
	}
	if h := old.holding.point; h != nil && m.point == nil {
		m.point = h
	}
	if m.kinds = nil; m.forget != nil {
		m.forget()
	}
}

// uncompiled is the result where there is no convex problem: ctx has ended, and the start
// is the best point, or the problem is refused.
func uncompiled(ctx context.Context, p *dc.Problem, x0 []float64, set Settings, start int, took float64, err error) (*Result, error) {
	if ctx.Err() == nil {
		return nil, err
	}
	res := resultAt(new(Result), p, x0, set, start)
	res.Seconds.Compile = took
	res.end, res.Message, res.concluded = interrupted(err), beforeFirst, res.Objective
	res.Status = res.end.status()
	return res, err
}
