package ccp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/ccp/internal/accel"
	"github.com/dcopt/dcopt/ccp/internal/search"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/qpbackend"
)

// step solves the convex problem of iteration k and moves x and z there. It ends the
// local search where there is no such point.
func (r *run) step(ctx context.Context) (Iteration, outcome, error) {
	r.sub.Centre = nil
	if r.course.strict && len(r.sub.Res.X) == len(r.sub.QP.Q) {
		r.sub.Centre = append([]float64(nil), r.sub.Res.X...)
	}
	for {
		if err := r.sub.Solve(ctx); err != nil {
			end, err := r.failed(ctx, err)
			return Iteration{}, end, err
		}
		solved, end, err := r.answer(ctx)
		if solved || err != nil || end.over() {
			if !solved {
				return Iteration{}, end, err
			}
			r.res.Iterations++
			return r.move(), outcome{}, nil
		}
		if err := r.sub.Linearise(r.z, r.penalty.τ); err != nil {
			return Iteration{}, outcome{}, err
		}
	}
}

// failed is the end where a convex problem could not be tried. That of the first
// iteration is a refusal.
func (r *run) failed(ctx context.Context, err error) (outcome, error) {
	if ctx.Err() != nil {
		return interrupted(ctx.Err()), ctx.Err()
	}
	err = fmt.Errorf("ccp: iteration %d: %w", r.k, err)
	if r.k == 1 {
		return outcome{}, err
	}
	return r.giveUp(Numerical, err.Error()), nil
}

// answer looks at the backend's answer: a solution, a proof, or a failure that
// is recovered from, so that the convex problem can be solved again.
func (r *run) answer(ctx context.Context) (solved bool, end outcome, err error) {
	sol := &r.sub.Res
	r.recover.note = ""
	switch s := sol.Status; {
	case s == qpbackend.Solved || s == qpbackend.AlmostSolved:
		return true, outcome{}, nil
	case s == qpbackend.DualInfeasible:
		end, err = r.hold(ctx)
		return false, end, err
	case s == qpbackend.PrimalInfeasible && r.mayBeInfeasible() && r.sub.Proven():
		r.res.Iterations++
		return false, r.infeasible(ctx), nil
	case s != qpbackend.PrimalInfeasible && (sol.Res.Max() <= stepEnough && !r.uphill() || r.helps(sol.X)):
		r.recover.note = fmt.Sprintf("the last convex problem was solved to %.1g only (%v)", sol.Res.Max(), s)
		return true, outcome{}, nil
	}
	end, err = r.afterFailure(ctx)
	return false, end, err
}

// helps reports whether an unfinished answer leads from a point that keeps the
// constraints to a lower objective.
func (r *run) helps(x []float64) bool {
	const shares = 10 // a step of less than a thousandth of the answer is none
	for _, v := range x {
		if !subproblem.IsFinite(v) {
			return false
		}
	}
	return !r.sub.Convex() && r.p.Violations(r.z).Excess <= 0 && r.between(r.z, x[:len(r.z)], shares) != nil
}

// maxDamped bounds the damping of one iteration.
const maxDamped = 10

// move takes x from the solution, speeds it up and damps z.
func (r *run) move() Iteration {
	sol := &r.sub.Res
	it := Iteration{Start: r.res.Start, Hop: r.hop, K: r.k, Tau: r.penalty.τ, Solver: sol.Iterations}
	it.Slack, it.priced, it.open = r.sub.Slack(r.course.strict)
	r.budget.Work += it.Solver
	r.budget.Solves = r.k
	before := append(r.before[:0], r.x...)
	r.before = before
	// A solver meets bounds to its tolerance; x meets them exactly.
	for j := range r.x {
		r.x[j] = min(max(sol.X[j], r.where.Lo[j]), r.where.Hi[j])
	}
	r.p.Pin(r.x)
	last := append(r.last[:0], r.z...)
	r.retract(last)
	plain := r.combine(last)
	extended := r.extend(last)
	if extended {
		y := it
		r.measure(&y, r.line.Plain())
		r.keep(y)
	}
	moved, ahead := r.better(plain)
	extended = extended || moved
	for j, v := range r.x {
		it.Step = max(it.Step, math.Abs(v-before[j]))
		it.moved = max(it.moved, math.Abs(v-before[j])/r.sub.Size(j))
	}
	damped := r.damp(last)
	r.last = last
	r.measure(&it, r.x)
	switch {
	case damped:
	case ahead && r.sub.Inside(plain):
		copy(r.z, plain)
	case !extended:
		r.extrapolate(before, it)
	}
	return it
}

// mostHalvings bounds the halvings of a step: the last is a rounding error of it.
const mostHalvings = 50

// retract goes back towards the point of tangency z, by halves, where the step leads
// uphill. Where all the way is uphill x becomes z.
func (r *run) retract(z []float64) {
	if r.rises(z, r.x) {
		if y := r.between(z, r.x, mostHalvings); y != nil {
			copy(r.x, y)
		} else {
			copy(r.x, z)
		}
	}
}

// uphill reports whether all the way from z to an unfinished answer is uphill: it is of no
// use then.
func (r *run) uphill() bool {
	x := append([]float64(nil), r.sub.Res.X[:len(r.z)]...)
	for j, v := range x {
		x[j] = min(max(v, r.where.Lo[j]), r.where.Hi[j])
	}
	r.p.Pin(x)
	return r.rises(r.z, x) && r.between(r.z, x, mostHalvings) == nil
}

// rises reports whether a step leads uphill: z breaks no constraint and the objective is
// higher at x than there, or x breaks some, although x minimises a function that is
// nowhere below the objective and equal to it at z: the backend has missed that x. What
// it is asked for, relative to the size of the objective's terms, does not count.
func (r *run) rises(z, x []float64) bool {
	if r.sub.Convex() || !r.sub.Inside(x) || r.p.Violations(z).Excess > 0 {
		return false
	}
	if !r.holds(x) {
		return r.sub.Res.Status != qpbackend.Solved
	}
	rise := r.p.Objective.Value(x) - r.p.Objective.Value(z)
	return rise > max(r.least(), r.recover.tol*r.p.ObjectiveSize(z))
}

// holds reports whether x keeps the constraints relative to the size of their terms.
func (r *run) holds(x []float64) bool { return r.p.Violations(x).Relative <= r.set.FeasTol }

// between is the first of the points halfway from z to x, a quarter of the way and so
// on that keeps the constraints and has a lower objective than z; nil where none has.
func (r *run) between(z, x []float64, halvings int) []float64 {
	from := r.p.Objective.Value(z)
	y := make([]float64, len(z))
	for share := 0.5; halvings > 0; halvings, share = halvings-1, share/2 {
		for j, v := range z {
			y[j] = v + share*(x[j]-v)
		}
		r.p.Pin(y)
		if r.p.Objective.Value(y) < from && r.holds(y) {
			return y
		}
	}
	return nil
}

// extend extends the step by a line search.
func (r *run) extend(from []float64) bool {
	if !r.set.Acceleration.LineSearch || r.k <= accel.After || r.sub.Convex() {
		return false
	}
	s := accel.Span{Size: r.sub.Size, Lo: r.where.Lo, Hi: r.where.Hi, Merit: r.course.span, Slack: r.slip()}
	return r.line.Extend(r.x, from, r.merit, s)
}

// combine is the combination of the last solutions by Anderson's method, nil where
// there is none.
func (r *run) combine(from []float64) []float64 {
	if !r.set.Acceleration.Combination || r.sub.Convex() || r.k <= accel.After-3 {
		return nil
	}
	t := r.fixed.Next(from, r.x, r.penalty.τ, r.sub, r.where.Lo, r.where.Hi)
	if t != nil && r.k > accel.After {
		r.p.Pin(t)
		return t
	}
	return nil
}

// better moves x to t if that lowers the merit by more than the last step has. Where it breaks the constraints more
// it may still be a better point of tangency: then ahead is true.
func (r *run) better(t []float64) (moved, ahead bool) {
	if t == nil {
		return false, false
	}
	φ0, open0 := r.merit(r.x)
	φ, open := r.merit(t)
	if !r.fixed.Gains(φ, φ0) {
		return false, false
	}
	if open > open0+r.slip() {
		return false, true
	}
	copy(r.x, t)
	return true, false
}

// extrapolate takes the tangents ahead of x.
func (r *run) extrapolate(before []float64, it Iteration) {
	if !r.set.Acceleration.Extrapolation || r.sub.Convex() {
		return
	}
	slack := r.penalty.τ * it.priced
	if !r.ahead.Ahead(r.z, r.x, before, r.sub.Units, r.penalty.τ, r.minimised(it.Objective)+slack, max(r.course.span, slack), r.k <= accel.After) {
		return
	}
	for j, v := range r.z {
		r.z[j] = min(max(v, r.where.Lo[j]), r.where.Hi[j])
	}
	if !r.sub.Inside(r.z) {
		copy(r.z, r.x)
	}
}

// damp sets z to x, back towards the last point of tangency until there is a tangent
// again: Shen et al. 2016, section 3.3. It reports whether it went back.
func (r *run) damp(last []float64) bool {
	copy(r.z, r.x)
	n := 0
	for ; n < maxDamped && (!r.sub.Inside(r.z) || r.sub.Dives(r.z, last, r.set.Damping/2)); n++ {
		for j := range r.z {
			r.z[j] += r.set.Damping * (last[j] - r.z[j])
		}
	}
	return n > 0
}

// slip is how much a search by values may add to the violated constraints.
func (r *run) slip() float64 { return 1e-3 * r.set.FeasTol }

// merit is φ = objective + τ·Σ(cᵢ)₊ over the DC constraints, +Inf where x breaks a
// convex one or leaves the domain of an h. open is Σ(cᵢ)₊ with each in the unit of its
// row.
func (r *run) merit(x []float64) (φ, open float64) {
	if !r.sub.Inside(x) || r.sub.BreaksHard(x, r.slip()) {
		return math.Inf(1), math.Inf(1)
	}
	sum, open := r.sub.Gaps(x)
	φ = r.p.Objective.Value(x) + r.penalty.τ*sum
	if math.IsNaN(φ) {
		φ = math.Inf(1)
	}
	return φ, open
}

// take keeps the iteration and tells the recorder.
func (r *run) take(it Iteration) (outcome, error) {
	r.keep(it)
	least := r.recover.tol * r.sub.Solver.Objective() / r.set.Tol
	r.course.note(it, r.keeps(it), r.minimised(r.res.Objective), r.set.Tol, least)
	if r.set.Scale > 0 {
		r.course.span = r.set.Scale
	}
	kept := it
	kept.X = nil
	r.res.History = append(r.res.History, kept)
	if r.set.Recorder == nil {
		return outcome{}, nil
	}
	err := r.set.Recorder.Record(it)
	if err == nil {
		return outcome{}, nil
	}
	end := outcome{status: Cancelled, message: "stopped by the recorder"}
	if errors.Is(err, ErrStop) {
		err = nil
	}
	return end, err
}

// trial is the iteration as a search around the local one sees it.
func (r *run) trial(n int, it Iteration) search.Trial {
	return search.Trial{
		K: n, X: it.X, Objective: r.minimised(it.Objective), Before: r.minimised(r.prev.Objective), Feasible: r.keeps(it),
		Cost: it.Solver, Best: r.best(), Least: r.least(),
	}
}
