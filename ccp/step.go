package ccp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/qpbackend"
)

// A solver's unfinished answer is still a step up to the residual stepEnough,
// and a last point up to lastEnough. maxInner keeps a splitting method from
// polishing a convex problem that the next iteration replaces.
const (
	stepEnough = 1e-3
	lastEnough = 1e-4
	maxInner   = 10_000
	tightest   = 1e-9 // tolerance asked of a solver
)

// step solves the convex problem of iteration r.k and moves x and z there. It
// sets the status where there is no such point.
func (r *run) step(ctx context.Context) (Iteration, error) {
	r.sub.Centre = nil
	if r.strict && len(r.sub.Res.X) == len(r.sub.QP.Q) {
		r.sub.Centre = append([]float64(nil), r.sub.Res.X...)
	}
	for {
		if err := r.sub.Solve(ctx); err != nil {
			if ctx.Err() != nil {
				r.interrupted(ctx.Err())
				return Iteration{}, ctx.Err()
			}
			err = fmt.Errorf("ccp: iteration %d: %w", r.k, err)
			if r.k == 1 {
				return Iteration{}, err
			}
			r.giveUp(Numerical, err.Error())
			return Iteration{}, nil
		}
		sol, more := &r.sub.Res, false
		var err error
		r.note = ""
		switch s := sol.Status; {
		case s == qpbackend.Solved || s == qpbackend.AlmostSolved:
			r.res.Iterations++
			return r.move(), nil
		case s == qpbackend.DualInfeasible:
			more, err = r.hold(ctx)
		case s == qpbackend.PrimalInfeasible && !r.res.nearly && r.k == 1:
			r.res.Iterations++
			r.infeasible(ctx)
		case s != qpbackend.PrimalInfeasible && sol.Res.Max() <= stepEnough:
			r.note = fmt.Sprintf("the last convex problem was solved to %.1g only (%v)", sol.Res.Max(), s)
			r.res.Iterations++
			return r.move(), nil
		default:
			more, err = r.rescue(ctx)
		}
		if err != nil || !more {
			return Iteration{}, err
		}
		if err := r.sub.Linearise(r.z, r.τ); err != nil {
			return Iteration{}, err
		}
	}
}

// maxDamped bounds the damping of one iteration.
const maxDamped = 10

// move takes x from the solution and damps z.
func (r *run) move() Iteration {
	sol := &r.sub.Res
	it := Iteration{Start: r.res.Start, Hop: r.hops.number(), K: r.k, Tau: r.τ, Solver: sol.Iterations}
	it.Slack, it.open = r.sub.Slack(r.strict)
	r.work += it.Solver
	before := append(r.before[:0], r.x...)
	r.before = before
	// A solver meets bounds to its tolerance; x meets them exactly.
	for j := range r.x {
		r.x[j] = min(max(sol.X[j], r.lo[j]), r.hi[j])
	}
	r.p.Pin(r.x)
	last := append(r.last[:0], r.z...)
	boosted := r.extend(last)
	if boosted {
		y := it
		r.measure(&y, r.boost.y)
		r.keep(y)
	}
	for j, v := range r.x {
		it.Step = max(it.Step, math.Abs(v-before[j]))
		it.moved = max(it.moved, math.Abs(v-before[j])/max(r.sub.Units[j], r.sub.Sizes[j]))
	}
	// Shen et al. 2016, section 3.3: back towards the last point of tangency
	// until there is a tangent again.
	copy(r.z, r.x)
	damped := 0
	for ; damped < maxDamped && (!r.sub.Inside(r.z) || r.sub.Dives(r.z, last, r.set.Damping/2)); damped++ {
		for j := range r.z {
			r.z[j] += r.set.Damping * (last[j] - r.z[j])
		}
	}
	r.last = last
	r.measure(&it, r.x)
	if !boosted && damped == 0 {
		r.glide(before, it.Objective, it.Slack)
	}
	return it
}

// measure says what x is worth.
func (r *run) measure(it *Iteration, x []float64) {
	it.Objective = r.p.Value(x)
	it.size = r.p.ObjectiveSize(x)
	v := r.p.Violations(x)
	it.Violation, it.Relative, it.Feasible = v.Largest, v.Relative, v.Excess <= r.set.FeasTol
	it.X = x
}

// keeps reports whether the iteration's point keeps the constraints: relative to
// the size of their terms or, once the procedure has settled at such a point, as
// FeasTol says.
func (r *run) keeps(it Iteration) bool {
	return it.Feasible || !r.strict && it.Relative <= r.set.FeasTol
}

// keep keeps the iteration's point if it is the best so far.
func (r *run) keep(it Iteration) {
	nearly := it.Feasible || it.Relative <= r.set.FeasTol
	obj, best := r.minimised(it.Objective), r.minimised(r.res.Objective)
	class, top := rank(it.Feasible, nearly), rank(r.res.Feasible, r.res.nearly)
	better := class > top || class == top && (class > 0 && obj <= best || class == 0 && it.Violation <= r.res.Violation)
	if subproblem.IsFinite(obj) && (better || !subproblem.IsFinite(best)) {
		copy(r.res.X, it.X)
		r.res.Objective, r.res.Feasible, r.res.nearly = it.Objective, it.Feasible, nearly
		r.res.Violation = it.Violation
	}
}

// rank orders points: feasible ones, those that are so relative to the size of
// the terms, others.
func rank(feasible, nearly bool) int {
	switch {
	case feasible:
		return 2
	case nearly:
		return 1
	}
	return 0
}

// take keeps the iteration and tells the recorder.
func (r *run) take(it Iteration) error {
	r.keep(it)
	if r.keeps(it) && subproblem.IsFinite(it.Objective) {
		r.low, r.high = min(r.low, it.Objective), max(r.high, it.Objective)
	}
	r.span = max(r.tol*r.sub.Solver.Objective()/r.set.Tol, min(it.size, max(math.Abs(it.Objective), r.high-r.low)))
	if r.set.Scale > 0 {
		r.span = r.set.Scale
	}
	kept := it
	kept.X = nil
	r.res.History = append(r.res.History, kept)
	if r.set.Recorder == nil {
		return nil
	}
	err := r.set.Recorder.Record(it)
	if err != nil {
		r.stop(Cancelled, "stopped by the recorder")
	}
	if errors.Is(err, ErrStop) {
		return nil
	}
	return err
}
