package ccp

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/dcopt/dcopt/ccp/internal/accel"
	"github.com/dcopt/dcopt/ccp/internal/search"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
)

// Solve runs the convex-concave procedure on p from x0, of length p.NumVars(); nil:
// from p.Start(set.Seed).
//
// An error without a Result is a refusal: settings out of range, x0 of wrong length, a
// problem that the backend does not take. When the context ends, or the recorder
// returns an error, that error comes together with the best point so far.
func Solve(ctx context.Context, p *dc.Problem, x0 []float64, set Settings) (*Result, error) {
	if err := check(p, set); err != nil {
		return nil, err
	}
	return guard(func() (*Result, error) {
		if x0 == nil {
			return solveDrawn(ctx, p, set.Seed, set, 0, nil)
		}
		return compileAndRun(ctx, p, x0, set, 0, origin{bar: math.Inf(1)})
	})
}

// descend is the local search, Lipp and Boyd 2016, Algorithm 3.1, from z.
func (r *run) descend(ctx context.Context, m search.Move) (outcome, error) {
	for n := 1; r.k < r.set.MaxIter; n++ {
		r.k++
		if !r.linearise() { // 1. convexify
			return r.giveUp(Numerical, subproblem.ErrNotANumber.Error()), nil
		}
		it, end, err := r.step(ctx) // 2. solve
		if err != nil || end.over() {
			return end, err
		}
		if end, err := r.take(it); err != nil || end.over() {
			return end, err
		}
		if r.timid(it) {
			continue
		}
		if r.farBehind(it, m) || m.Lost != nil && m.Lost(r.trial(n, it)) {
			return outcome{Stalled, "given up: other starts have led to better points", true}, nil
		}
		if end := r.decide(stop(r.view(it)), &it); end.over() { // 4. stop
			return end, nil
		}
		if end, err := r.update(ctx, it); err != nil || end.over() { // 3. update τ
			return end, err
		}
	}
	return r.giveUp(IterationLimit, r.obstacle()), nil
}

// latest is the iteration from which Newton's method goes on although constraints are
// broken: while τ grows, the procedure still chooses between minima. Source: 8 instead
// ends at worse ones, as in half of DCCP's sparse singular vectors; 20 and 30 change
// nothing there, nor on the problems of cmd/dcopt/testdata/equations.
const latest = 14

// localSearch is the local search: the procedure and, where it has nonlinear equations
// to follow, Newton's method from where the procedure has led in a few iterations.
func (r *run) localSearch(ctx context.Context, m search.Move) (outcome, error) {
	r.tip = r.sub
	if !r.set.Acceleration.Newton || !r.equations(ctx) {
		return r.descend(ctx, m)
	}
	handed := false
	early := m
	early.Lost = func(t search.Trial) bool {
		lost := m.Lost != nil && m.Lost(t)
		handed = !lost && (t.K >= accel.After && t.Feasible || t.K >= latest)
		return lost || handed
	}
	end, err := r.descend(ctx, early)
	if err != nil || !handed && (r.hop > 0 || end.status != Converged && end.status != Stalled) {
		return end, err
	}
	newton, err := r.newton(ctx)
	switch {
	case err != nil || newton.over():
		return newton, err
	case end.status == Converged && !handed:
		return end, nil
	}
	return r.descend(ctx, m)
}

// linearise linearises at z; where h is not finite it restarts from another point, as
// often as a run may. It reports whether it has succeeded.
func (r *run) linearise() bool {
	r.sub.SizeUp(r.z, false)
	for r.sub.Linearise(r.z, r.penalty.τ) != nil {
		if r.penalty.restarts >= mostRestarts {
			return false
		}
		r.restart()
	}
	return true
}

// solve is the local search from the start, then the searches around where it has
// converged.
func (r *run) solve(ctx context.Context) (outcome, error) {
	if end, err := r.prepare(ctx); err != nil || end.over() {
		return end, err
	}
	end, err := r.localSearch(ctx, search.Move{})
	if err != nil || end.status != Converged {
		return end, err
	}
	return r.improve(ctx, end)
}

// run solves and completes the result; a panic in a user's code becomes an error, and
// the best point stays.
func (r *run) run(ctx context.Context) (res *Result, err error) {
	if !r.seed.kept {
		defer guardClose(r.sub)
	}
	defer func() {
		if r.method != nil {
			guardClose(r.method.Sub)
		}
	}()
	t := time.Now()
	defer func() {
		if v := recover(); v != nil {
			err = caught(v)
			res = r.finish(outcome{status: Numerical, message: err.Error()}, t)
		}
	}()
	end, err := r.solve(ctx)
	if err != nil && !end.over() {
		return nil, err // a refusal
	}
	return r.finish(end, t), err
}

// finish completes the result: here alone a status is written.
func (r *run) finish(end outcome, t time.Time) *Result {
	res := r.res
	res.Status, res.Message = end.status, end.message
	switch end.status {
	case Infeasible:
		res.Objective = r.minimised(math.Inf(1))
	case Unbounded:
		res.Objective = r.minimised(math.Inf(-1))
		res.Ray = r.where.Proof
	}
	_, res.Worst = r.p.Violation(res.X)
	if end.status == Cancelled || end.status == TimeLimit {
		if res.Message = r.obstacleAt(); len(res.History) == 0 {
			res.Message = beforeFirst
		}
	}
	_, res.ObjectiveError = r.p.Evaluate(res.X)
	res.work, res.least = r.work(), max(r.set.Tol*r.p.ObjectiveSize(res.X), res.ObjectiveError)
	res.Seconds.Solve = subproblem.Since(t)
	res.Seconds.Backend = r.sub.Seconds
	if res.Duals == nil && len(r.tip.Res.Y) == len(r.tip.Rows) && res.Iterations > 0 {
		res.take(r.tip.Duals())
	}
	return res
}

// prepare moves the start into the domains if need be, scales τ and opens the solver.
func (r *run) prepare(ctx context.Context) (outcome, error) {
	if r.seed.drawn && r.sub.BreaksHard(r.z, r.set.FeasTol) || !r.sub.Inside(r.z) {
		z, err := subproblem.Project(ctx, r.p, r.sub, r.z, r.set.backend())
		if ctx.Err() != nil {
			return interrupted(ctx.Err()), ctx.Err()
		}
		if err != nil {
			return outcome{}, err
		}
		copy(r.z, z)
		copy(r.where.Start, z)
	}
	r.sub.SizeUp(r.z, true)
	if r.sub.Linearise(r.z, r.penalty.τ) != nil {
		return outcome{status: Numerical, message: "a function or its subgradient is not a finite number at the starting point; give another start"}, nil
	}
	if r.set.TauRelative {
		r.sub.SetPrices(r.z)
		obj, con := r.sub.Slopes(r.z)
		r.penalty.scale(obj, con, r.seed.share)
	}
	if err := r.sub.Linearise(r.z, r.penalty.τ); err != nil {
		return outcome{}, err
	}
	r.recover.tol = max(min(r.set.backend().DefaultSettings().Tol, r.set.FeasTol), tightest)
	return r.open(ctx)
}

// kinds are the searches around the local one, in the order in which they are tried.
// To do without one, delete its line.
func (r *run) kinds() []search.Kind {
	return []search.Kind{
		r.tangent,
		&search.Coordinates{
			Sub: r.sub, Budget: &r.budget, Most: r.set.Search.Coordinates, Seed: r.set.Seed,
			Start: uint64(r.res.Start), Lo: r.where.Lo, Hi: r.where.Hi, Slip: r.slip(),
		},
		&search.BasinHopping{
			Sub: r.sub, Budget: &r.budget, Most: r.set.Search.Hops, Seed: r.set.Seed, Start: uint64(r.res.Start),
			Lo: r.where.Lo, Hi: r.where.Hi, More: func() bool { return r.k < r.set.MaxIter },
			Draw: func(seed uint64) []float64 { return around(r.p, seed) },
		},
	}
}

// improve searches around the point at which the local search has converged.
func (r *run) improve(ctx context.Context, end outcome) (outcome, error) {
	p := r.point()
	message, duals := end.message, r.duals()
	var err error
	local := func(m search.Move) search.Outcome {
		r.follow(m)
		end, err = r.localSearch(ctx, m)
		hopped := m.Restart == search.Anew
		o := search.Outcome{Converged: end.status == Converged, Over: err != nil || end.status == Unbounded || end.status == Cancelled}
		if o.Better = o.Converged && !hopped || r.best() < p.Objective-r.least(); o.Better && o.Converged {
			o.At, message, duals = r.point(), end.message, r.duals()
		}
		return o
	}
	last := search.Until(local, &p, r.kinds()...)
	switch {
	case last != nil && last.Over:
		return end, err
	case last != nil && !last.Converged:
		return outcome{status: Converged, message: strings.TrimSpace("the point is better than one at which the procedure had converged; a search from there was not finished; " + end.message)}, nil
	}
	r.res.take(duals)
	return outcome{status: Converged, message: message}, nil
}

// point is where the local search has converged.
func (r *run) point() search.Point {
	return search.Point{
		X: append([]float64(nil), r.x...), Best: append([]float64(nil), r.res.X...),
		Tau: r.penalty.τ, Objective: r.minimised(r.res.Objective), Least: r.least(),
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
		r.tangent.Reset()
	case search.Anew:
		r.penalty.τ, r.penalty.idle, r.penalty.flat = m.Tau, 0, 0
		r.penalty.restarts, r.recover.failures = mostRestarts, mostFailures // a failure ends the hop
		r.course.idle, r.course.strict = 0, false
		r.line.Reset()
		r.ahead.Reset()
		r.fixed.Reset()
		r.tangent.Reset()
		r.prev = Iteration{Objective: math.NaN()}
		r.hop = m.Hop()
	}
}

// share is that of penalty.scale for a start: evenly spread over those that are drawn.
func share(start int, near bool) float64 {
	if near {
		return nearShare
	}
	_, s := math.Modf(float64(start) * (math.Sqrt(5) - 1) / 2)
	return s
}

// solveDrawn runs from the starting point of the seed, moved into the convex
// constraints if any of it was drawn at random.
func solveDrawn(ctx context.Context, p *dc.Problem, seed uint64, set Settings, start int, lead *Result) (*Result, error) {
	x0 := p.Start(seed)
	if start > 0 {
		x0 = around(p, seed)
	}
	near := set.Search.Vary && lead != nil && start%2 == 1
	if near {
		vary(x0, lead.X, seed)
	}
	from := origin{drawn: start > 0 || p.Random(), share: share(start, near), bar: math.Inf(1)}
	if lead != nil {
		if from.bar = lead.Objective; p.Maximize {
			from.bar = -from.bar
		}
	}
	return compileAndRun(ctx, p, x0, set, start, from)
}

// compileAndRun is a run from x0. Where ctx ends before there is a convex problem,
// the start is the best point.
func compileAndRun(ctx context.Context, p *dc.Problem, x0 []float64, set Settings, start int, seed origin) (*Result, error) {
	if err := checkStart(p, x0); err != nil {
		return nil, err
	}
	t := time.Now()
	sub, err := subproblem.Compile(ctx, p)
	took := subproblem.Since(t)
	if err != nil {
		if ctx.Err() == nil {
			return nil, err
		}
		x0 = append([]float64(nil), x0...)
		p.Pin(x0)
		res := resultAt(p, x0, set, start)
		res.Seconds.Compile = took
		res.Status, res.Message = interrupted(err).status, beforeFirst
		return res, err
	}
	r, err := begin(p, sub, x0, set, start)
	if err != nil {
		return nil, err
	}
	r.res.Seconds.Compile = took
	r.seed.drawn, r.seed.share, r.seed.bar = seed.drawn, seed.share, seed.bar
	return r.run(ctx)
}
