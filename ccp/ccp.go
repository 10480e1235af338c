package ccp

import (
	"context"
	"time"

	"github.com/dcopt/dcopt/ccp/internal/accel"
	"github.com/dcopt/dcopt/ccp/internal/penalty"
	"github.com/dcopt/dcopt/ccp/internal/search"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/program"
)

// Solve runs the convex-concave procedure on p from x0, of length p.NumVars(); nil:
// from p.Start(set.Seed).
//
// An error without a Result is a refusal: settings out of range, x0 of wrong length, a
// problem that the backend does not take. When the context ends, or the recorder
// returns an error, that error comes together with the best point so far.
func Solve(ctx context.Context, p *dc.Problem, x0 []float64, set Settings) (*Result, error) {
	return solve(ctx, p.Program(), x0, set)
}

func solve(ctx context.Context, p *program.Problem, x0 []float64, set Settings) (res *Result, err error) {
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
		if r.undoFirst(it) {
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

// proved reports whether the multipliers of a convex problem leave so little of its
// objective open that no search finds a decrease that counts, or the objective is constant.
func (r *run) proved() bool {
	return r.res.Feasible && r.p.Objective.IsConst() ||
		r.sub.Convex() && !r.sub.HasProximal() && r.res.Feasible && r.gap.Proved
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

// acceleration is the device that makes a descent faster, nil for none. To do without, delete its
// line.
func (r *run) acceleration() (used accel.Device) {
	if r.set.Heuristics.Acceleration.LineSearch && !r.sub.Convex() {
		used = &accel.LineSearch{}
	}
	return used
}
