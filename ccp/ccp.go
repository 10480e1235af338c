package ccp

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/dcopt/dcopt/ccp/internal/accel"
	"github.com/dcopt/dcopt/ccp/internal/diagnose"
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
		r, err := newRun(p, x0, set, 0)
		if err != nil {
			return nil, err
		}
		return r.run(ctx)
	})
}

// run is one start: the local search and the searches around it.
type run struct {
	p     *dc.Problem
	set   Settings
	sub   *subproblem.Problem
	where diagnose.Region // bounds and start
	seed  origin

	state
	penalty penalty
	recover recovery
	course  course
	line    accel.LineSearch
	ahead   accel.Extrapolation
	tangent *search.Tangents
	budget  search.Budget
}

// state is that of the procedure.
type state struct {
	x, z         []float64 // the last solution, and the point of the tangents: x unless damped
	before, last []float64 // x and z of the iteration before
	k, hop       int       // number of the iteration, and of the hop that it belongs to
	prev         Iteration
	res          *Result // with the best point so far
}

// origin is where the start comes from.
type origin struct {
	drawn bool    // it is random: no one minds if it is moved
	near  bool    // it is a variation of the best point of other starts
	kept  bool    // the solver belongs to a session
	bar   float64 // the best objective of other starts, minimised
}

// outcome is why a local search has ended; the zero value: it has not.
type outcome struct {
	status  Status
	message string
	lost    bool // it was given up by whoever began it
}

func (o outcome) over() bool { return o.status != Unknown }

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
		if r.hopeless(it, m) || m.Lost != nil && m.Lost(r.trial(n, it)) {
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
	end, err := r.descend(ctx, search.Move{})
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
	}
	_, res.Worst = r.p.Violation(res.X)
	_, res.ObjectiveError = r.p.Evaluate(res.X)
	res.Seconds.Solve = subproblem.Since(t)
	res.Seconds.Backend = r.sub.Seconds
	if res.Duals == nil && len(r.sub.Res.Y) == len(r.sub.Rows) && res.Iterations > 0 {
		res.Duals = r.sub.Duals()
	}
	return res
}

func newRun(p *dc.Problem, x0 []float64, set Settings, start int) (*run, error) {
	t := time.Now()
	sub, err := subproblem.Compile(p)
	if err != nil {
		return nil, err
	}
	r, err := begin(p, sub, x0, set, start)
	if err != nil {
		return nil, err
	}
	r.res.Seconds.Compile = subproblem.Since(t)
	return r, nil
}

// begin is newRun with a convex problem that is compiled.
func begin(p *dc.Problem, sub *subproblem.Problem, x0 []float64, set Settings, start int) (*run, error) {
	if len(x0) != p.NumVars() {
		return nil, fmt.Errorf("ccp: the starting point has length %d, the problem %d variables", len(x0), p.NumVars())
	}
	for j, v := range x0 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("ccp: entry %d of the starting point is %g", j, v)
		}
	}
	x0 = append([]float64(nil), x0...)
	p.Pin(x0)
	sub.Calm()
	sub.SizeUp(x0, true)
	lo, hi := subproblem.Bounds(p)
	sub.BoundDomains(lo, hi)
	r := &run{p: p, set: set, sub: sub, penalty: newPenalty(set), course: newCourse()}
	r.seed.bar = math.Inf(1)
	r.where = diagnose.Region{P: p, Lo: lo, Hi: hi, Start: x0, Unit: append([]float64(nil), sub.Units...), Tol: set.FeasTol}
	r.budget.Size = sub.Entries()
	r.tangent = &search.Tangents{Sub: sub, Budget: &r.budget, Most: set.Search.Tangents, Seed: set.Seed}
	r.x, r.z = append([]float64(nil), x0...), append([]float64(nil), x0...)
	r.prev.Objective = math.NaN()
	r.res = &Result{Starts: 1, Start: start, Backend: set.backend().Name(), X: append([]float64(nil), x0...), Objective: p.Value(x0)}
	v := p.Violations(x0)
	r.res.Violation = v.Largest
	if subproblem.IsFinite(r.res.Objective) {
		r.res.Feasible = v.Excess <= set.FeasTol
		r.res.nearly = r.res.Feasible || v.Relative <= set.FeasTol
	}
	return r, nil
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
		obj, con := r.sub.Slopes(r.z)
		r.penalty.scale(obj, con, r.seed.near)
	}
	if err := r.sub.Linearise(r.z, r.penalty.τ); err != nil {
		return outcome{}, err
	}
	r.recover.tol = max(min(r.set.backend().DefaultSettings().Tol, r.set.FeasTol), tightest)
	return r.open(ctx)
}

// minimised is an objective as reported, with the sign in which it is minimised.
func (r *run) minimised(objective float64) float64 {
	if r.p.Maximize {
		return -objective
	}
	return objective
}
