package ccp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/ccp/internal/accel"
	"github.com/dcopt/dcopt/ccp/internal/search"
	"github.com/dcopt/dcopt/ccp/internal/stop"
	"github.com/dcopt/dcopt/qpbackend"
)

// solveConvex solves the convex problem of iteration k, moves x and z to the solution and tells the
// recorder. A convex problem that is unbounded, or that the backend fails on, gets another one in
// its place; the local search ends where there is none.
func (r *run) solveConvex(ctx context.Context) (Iteration, *outcome, error) {
	r.sub.Session.Centre, r.sub.Session.Spare = r.centre(), r.earlyEndDecrease()
	for {
		solved, end, err := r.answer(ctx, r.sub.Solve(ctx))
		if solved {
			it := r.move()
			end, err = r.take(it)
			return it, end, err
		}
		if err != nil || end != nil {
			return Iteration{}, end, err
		}
	}
}

// earlyEndDecrease is the decrease of a convex problem's objective from which on a hundredth of it
// may be left, as no decision follows but to go on: a hundred times that at which the procedure has
// converged; +Inf where there is no next problem.
func (r *run) earlyEndDecrease() float64 {
	if r.sub.Convex() || r.course.Strict || !r.more(0) {
		return math.Inf(1)
	}
	return 100 * r.least()
}

// centre is the point in the distance from which a convex problem is solved; nil: 0.
func (r *run) centre() []float64 {
	if !r.course.Strict || len(r.sub.Session.Res.X) != len(r.sub.Compiled.QP.Q) {
		return nil
	}
	return append([]float64(nil), r.sub.Session.Res.X...)
}

// answer looks at the backend's answer: a solution, a proof, or a failure that
// is recovered from, so that the convex problem can be solved again. failure: there is none.
func (r *run) answer(ctx context.Context, failure error) (solved bool, end *outcome, err error) {
	if failure != nil {
		end, err = r.failed(ctx, failure)
		return false, end, err
	}
	sol := &r.sub.Session.Res
	r.recover.note = ""
	switch s := sol.Status; {
	case s == qpbackend.Solved || s == qpbackend.AlmostSolved:
		return !r.reprice(), nil, nil
	case s == qpbackend.DualInfeasible:
		end, err = r.boundSubproblem(ctx)
		return false, end, err
	case s == qpbackend.PrimalInfeasible && r.mayBeInfeasible() && r.sub.Proves(r.sub.Lin.Now, sol):
		r.res.Iterations++
		return false, r.infeasible(ctx), nil
	case s != qpbackend.PrimalInfeasible && sol.Res.Max() <= stepEnough && !r.uphill():
		r.recover.note = fmt.Sprintf("the last convex problem was solved to %.1g only (%v)", sol.Res.Max(), s)
		return true, nil, nil
	}
	end, err = r.afterFailure(ctx)
	return false, end, err
}

// maxDamped bounds the damping of one iteration.
// Source: docs/lab/ccp.md, Constants.
const maxDamped = 10

// move takes x from the solution, speeds it up and damps z.
func (r *run) move() Iteration {
	r.res.Iterations++
	sol, s := &r.sub.Session.Res, &r.step
	it := Iteration{Start: r.res.Start, Hop: r.hop, K: r.k, Tau: r.penalty.Tau, Solver: sol.Iterations}
	it.Slack, it.priced, it.open = r.sub.Slack(r.course.Strict)
	r.budget.Add(r.sub.Session.Worked, r.k)
	s.Before, s.From = append(s.Before[:0], r.x...), append(s.From[:0], r.z...)
	r.clip(r.x, sol.X)
	r.backtrack(s.From)
	r.accelerate(s)
	for j, v := range r.x {
		it.Step = max(it.Step, math.Abs(v-s.Before[j]))
		it.moved = max(it.moved, math.Abs(v-s.Before[j])/r.sub.Size(j))
	}
	r.backtrackIntoDomain(s.From)
	r.measure(&it, r.x)
	return it
}

// clip sets x to the solution of a convex problem. A solver meets bounds to its tolerance; x meets
// them exactly, and is at a bound that it is nearer to than a rounding of its range.
func (r *run) clip(x, solution []float64) {
	const roundoff = 0x1p-52 // Source: derived: of float64
	for j := range x {
		lo, hi := r.where.Lo[j], r.where.Hi[j]
		x[j] = min(max(solution[j], lo), hi)
		switch near := roundoff * (hi - lo); {
		case math.IsInf(near, 1): // no range
		case x[j]-lo < near:
			x[j] = lo
		case hi-x[j] < near:
			x[j] = hi
		}
	}
	r.p.Pin(x)
}

// accelerate lets the device move x on, if there is one.
func (r *run) accelerate(s *accel.Step) {
	s.Span, s.X, s.Plain = r.course.Span, r.x, append(s.Plain[:0], r.x...)
	if r.means.device == nil || r.k <= accel.After || !r.means.device.Extend(s) {
		return
	}
	var it Iteration
	r.measure(&it, s.Plain)
	r.keep(it)
}

// mostHalvings bounds the halvings of a step: the last is a rounding error of it.
// Source: derived: 2⁻⁵⁰ of a step is below four roundings of its end.
const mostHalvings = 50

// backtrack goes back towards the point of tangency z, by halves, where the step leads
// uphill. Where all the way is so x becomes z.
func (r *run) backtrack(z []float64) {
	if r.rises(z, r.x) {
		if y := r.between(z, r.x); y != nil {
			copy(r.x, y)
		} else {
			copy(r.x, z)
		}
	}
}

// uphill reports whether all the way from z to an unfinished answer is uphill: it is of no
// use then.
func (r *run) uphill() bool {
	x := make([]float64, len(r.z))
	r.clip(x, r.sub.Session.Res.X)
	return r.rises(r.z, x) && r.between(r.z, x) == nil
}

// rises reports whether a step leads uphill: z breaks no constraint and the objective is
// higher at x than there, or x breaks some, although x minimises a function that is
// nowhere below the objective and equal to it at z: the backend has missed that x. The
// accuracy that it is asked for, relative to the size of the objective's terms, does not count.
func (r *run) rises(z, x []float64) bool {
	if r.sub.Convex() || !r.sub.Compiled.Inside(x) || r.p.Violations(z).Excess > 0 {
		return false
	}
	if !r.holds(x) {
		return r.sub.Session.Res.Status != qpbackend.Solved
	}
	rise := r.p.Objective.Value(x) - r.p.Objective.Value(z)
	return rise > max(r.least(), r.recover.tol*r.p.ObjectiveSize(z))
}

// reprice reports whether the convex problem is to be solved again with other prices: it
// left slacks open although z keeps the constraints, and needs none, and the constraints
// are far flatter than where their prices come from. e^x falls by e per unit of x.
func (r *run) reprice() bool {
	_, _, open := r.sub.Slack(r.course.Strict)
	return r.set.TauRelative && open > r.set.FeasTol && r.p.Feasible(r.z, r.set.FeasTol) &&
		r.sub.Reprice(r.z, r.set.FeasTol) && r.sub.Linearise(r.z, r.penalty.Tau) == nil
}

// holds reports whether x keeps the constraints relative to the size of their terms.
func (r *run) holds(x []float64) bool { return r.p.Violations(x).Relative <= r.set.FeasTol }

// between is the first of the points halfway from z to x, a quarter of the way and so
// on that keeps the constraints and has a lower objective than z; nil where none has.
func (r *run) between(z, x []float64) []float64 {
	from := r.p.Objective.Value(z)
	y := make([]float64, len(z))
	for n, share := 0, 0.5; n < mostHalvings; n, share = n+1, share/2 {
		for j, v := range z {
			y[j] = v + share*(x[j]-v)
		}
		r.p.Pin(y)
		if v := r.p.Objective.Value(y); v < from && !math.IsInf(v, -1) && r.holds(y) {
			return y
		}
	}
	return nil
}

// backtrackIntoDomain sets z to x, back towards the last point of tangency until there is a tangent
// again: Shen et al. 2016, section 3.3.
func (r *run) backtrackIntoDomain(last []float64) {
	copy(r.z, r.x)
	for n := 0; n < maxDamped &&
		(!r.sub.Compiled.Inside(r.z) || r.sub.Compiled.Dives(r.z, last, r.set.Damping/2)); n++ {
		for j := range r.z {
			r.z[j] += r.set.Damping * (last[j] - r.z[j])
		}
	}
}

// slip is how much a search by values may add to the violated constraints.
func (r *run) slip() float64 { return 1e-3 * r.set.FeasTol }

// merit is φ = objective + τ·Σ(cᵢ)₊ over the DC constraints, +Inf where x breaks a
// convex one or leaves the domain of an h. open is Σ(cᵢ)₊ with each in the unit of its
// row.
func (r *run) merit(x []float64) (φ, open float64) {
	if !r.sub.Compiled.Inside(x) || r.sub.BreaksHard(x, r.slip()) {
		return math.Inf(1), math.Inf(1)
	}
	sum, open := r.sub.Gaps(x)
	φ = r.p.Objective.Value(x) + r.penalty.Tau*sum
	r.budget.Values++
	if math.IsNaN(φ) {
		φ = math.Inf(1)
	}
	return φ, open
}

// take keeps the iteration and tells the recorder.
func (r *run) take(it Iteration) (*outcome, error) {
	r.keep(it)
	least := r.recover.tol * r.sub.Session.Solver.Objective() / r.set.Tol
	at := stop.Value{Objective: it.Objective, Size: it.size, Noise: it.noise()}
	r.course.Note(at, r.keeps(it), r.res.certain(r.p.Maximize), r.set.Tol, least)
	if r.set.Scale > 0 {
		r.course.Span = r.set.Scale
	}
	kept := it
	kept.X = nil
	r.res.History = append(r.res.History, kept)
	if r.set.Recorder == nil {
		return nil, nil
	}
	err := r.set.Recorder.Record(it)
	if err == nil {
		return nil, nil
	}
	if errors.Is(err, ErrStop) {
		err = nil
	}
	return conclude(ToldToStop, ""), err
}

// trial is the iteration as a search around the local one sees it.
func (r *run) trial(n int, it Iteration) search.Trial {
	return search.Trial{
		K: n, X: it.X, Feasible: r.keeps(it), Best: r.best(), Least: r.counts(),
		Objective: it.Result().certain(r.p.Maximize), Before: r.prev.Result().certain(r.p.Maximize),
	}
}
