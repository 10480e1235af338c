package ccp

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/ccp/internal/diagnose"
	"github.com/dcopt/dcopt/ccp/internal/penalty"
	"github.com/dcopt/dcopt/ccp/internal/stop"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// facts are the numbers that decide after an iteration.
type facts struct {
	stop.View
	holding  holding
	distance float64 // at which the last ray was looked for
	ray      []float64
	far      bool // the points run off
}

// facts has the numbers of the iteration. It changes nothing.
func (r *run) facts(ctx context.Context, it Iteration) facts {
	gap, f := r.bound(it), facts{holding: r.holding, far: r.far}
	if d := r.where.Distance(r.x); r.course.LooksFar(d, diagnose.Far*diagnose.Far) {
		f.distance = d
		f.ray, f.far = r.runsOff()
	}
	f.View = stop.View{
		Gap: gap, Known: r.res.nearly,
		Sharpest:  r.sharpest(),
		Objective: it.Objective, Before: r.prev.Objective, Keeps: r.keeps(it),
		Convex: r.sub.Convex() && !r.sub.HasProximal(), Strict: r.course.Strict,
		Settled: r.course.Stagnated(r.minimised(it.Objective), r.set.Tol), Residual: r.sub.Session.Res.Res.Max(),
		Least: r.least(), Switched: r.sub.Lin.Switched, Restarts: penalty.MostRestarts - r.penalty.Restarts,
		AtPole:    len(r.sub.Compiled.Domain) > 0 && r.keeps(it) && r.where.Pole(r.x, r.step.From, r.sub.Units.Sizes),
		Sharpened: r.course.Sharpened, Patient: r.patient,
		Coarse:   it.Feasible && r.set.Scale == 0 && r.recover.tol > finest && r.recover.tol > r.fine(it),
		Misfit:   r.course.Refits < stop.MostRescalings && r.sub.Convex() && r.sub.BadlyScaled(r.x),
		Below:    r.course.Refits < stop.MostRescalings && r.below(it, gap.Open),
		AlongRay: f.ray != nil,
	}
	if !f.Convex && f.Rests() {
		f.holding = r.conditions(ctx, r.sub, r.x, false)
		f.Held = f.holding.slope <= 1
	}
	return f
}

// restless is the share of a variable's size by which it moves where the objective, far
// below its unit, still leads on. At a minimum whose terms vanish, variables that are
// no smaller than their units move by less: by the root of the backend's accuracy or so.
// Source: docs/lab/ccp.md, Constants.
const restless = 1e-3

// below reports whether the objective of a convex problem is so far below its unit that
// the backend's accuracy says nothing of it, or not enough where no more is to be had,
// while the point still moves, and does not run off.
func (r *run) below(it Iteration, open float64) bool {
	seen, counts := r.recover.tol*r.sub.Session.Solver.Objective(), r.set.Tol*it.size
	if !r.sharpest() {
		counts = it.size
	}
	if r.set.Scale > 0 || it.moved <= restless || counts >= seen || open <= max(r.set.Tol*it.size, it.noise()) {
		return false
	}
	_, off := r.infimum(r.x)
	return !off
}

// sharpest reports whether the backend solves the problem no better.
func (r *run) sharpest() bool {
	return r.recover.tol <= finest || r.course.Sharpened && r.sub.Session.Res.Status != qpbackend.Solved
}

// decide decides by the facts and carries that out. It returns the end of the local search if
// that is one.
func (r *run) decide(ctx context.Context, f facts, it *Iteration) (*outcome, error) {
	r.gap, r.holding, r.far = f.Gap, f.holding, f.far
	r.course.Looked(f.distance)
	v := stop.Decide(f.View)
	switch v {
	case stop.Ray:
		return r.unbounded(f.ray), nil
	case stop.Pole:
		r.res.moveTo(it.Result())
		return conclude(AtPole, ""), nil
	case stop.NoNumber:
		return conclude(NotANumber, fmt.Sprintf("the objective is %g at the last point", it.Objective)), nil
	case stop.Restart:
		r.restart()
	case stop.Converged, stop.Unsettled:
		if it.Feasible || r.backtrackToFeasible(it, r.objectiveTol()) ||
			r.course.Strict && r.course.Sharpened && r.tightEnough() {
			if v == stop.Unsettled {
				return r.converged(Noise), nil
			}
			return r.converged(Stationary), nil
		}
		r.course.RequireAbsolute()
		r.penalty.Recount()
	case stop.Adrift:
		return conclude(NotStationary, ""), nil
	case stop.Unproven:
		return r.shown(), nil
	case stop.Sharper:
		r.course.Sharpened = true
		return r.tighten(ctx, max(min(r.recover.tol/100, r.fine(*it)), finest))
	case stop.Refit:
		r.course.Refits++
		r.gap.Unit = 0
		r.sub.Rescale(r.x)
		if usual := r.usualTol(); r.recover.tol < usual { // in these units that says enough
			r.course.Sharpened = false
			return r.tighten(ctx, usual)
		}
	case stop.Insist:
		r.course.RequireAbsolute()
		r.penalty.Recount()
	}
	return nil, nil
}

// bound takes from the multipliers of a convex problem, and from the range of its objective, how
// far the objective may be above its least value nearby. It is relative to the terms of the
// objective, or to the range that the variables' bounds leave it, if that is less. Where the terms
// of the objective are less than was open before, they vanish at the solution, and have no size;
// the share of the objective's unit that a backend tells from 0 stands in its place, at last of the
// unit at the start.
func (r *run) bound(it Iteration) stop.Gap {
	c := r.gap
	if !r.sub.Convex() || r.sub.HasProximal() || !r.keeps(it) {
		return c
	}
	before, unit := c.Open, r.sub.Session.Solver.Objective()
	if c.Unit == 0 {
		c.Unit = unit
	}
	value, best := r.minimised(it.Objective), r.best()
	near := r.sub.Near(r.res.X)
	if near {
		value = min(value, best)
	}
	size := min(it.size, r.spread(it.Objective))
	if r.set.Scale > 0 {
		size = r.set.Scale
	}
	c.Tol = max(r.set.Tol*size, it.noise())
	least := r.sub.LeastNear(value - 0.9*c.Tol) // less, for rounding
	if !(value-least <= c.Tol) {                // the range takes longer than all else here
		within := r.p.Objective.Over()
		if r.set.Scale <= 0 {
			size = min(r.p.ObjectiveVariation(r.x), within.Hi-within.Lo)
		}
		if c.Tol = max(r.set.Tol*size, it.noise()); !(value-least <= c.Tol) {
			least = max(least, within.Lo)
		}
	}
	c.Open, c.Least = value-least, least
	proved := c.Open <= c.Tol
	c.LooseTol = max(looser*c.Tol, finest*c.Unit)
	if size <= before && num.Finite(before) {
		c.Tol = max(c.Tol, finest*min(unit, c.Unit))
		c.LooseTol = max(c.LooseTol, looser*c.Tol)
	}
	if !near && r.res.Violation == 0 && best < least-c.Tol ||
		it.Violation == 0 && r.minimised(it.Objective) < least-c.Tol {
		c.Open, proved = math.Inf(1), false // a point that breaks nothing disproves the bound, or its reach
	}
	c.Proved = proved
	return c
}

// spread is no more than the range that the variables' bounds leave the objective: its distance
// from the value at the start, if that keeps them, 0 if not.
func (r *run) spread(objective float64) float64 {
	for j, v := range r.where.Start {
		if !(v >= r.where.Lo[j] && v <= r.where.Hi[j]) {
			return 0
		}
	}
	if d := math.Abs(objective - r.p.Value(r.where.Start)); num.Finite(d) {
		return d
	}
	return 0
}

// tightEnough reports whether the best point of a convex problem is as near to the bound of its
// objective as one that the backend solves no better may be. Where there is no bound,
// the point was at rest before more accuracy was asked for.
func (r *run) tightEnough() bool {
	return !r.sub.Convex() || r.sub.HasProximal() || r.best()-r.gap.Least <= r.gap.LooseTol
}

// fine is the tolerance of the backend that leaves no more of the objective open than
// counts beside its terms and the range that it has gone through.
func (r *run) fine(it Iteration) float64 {
	return r.set.Tol * max(it.size, r.course.Range()) / r.sub.Session.Solver.Objective()
}

// objectiveTol is by how much the objective may change where the procedure has converged at a
// point: by no more than counts, and in a convex problem by no more than may be open there, as the
// backend's accuracy may be far coarser.
func (r *run) objectiveTol() float64 {
	switch {
	case !r.sub.Convex() || r.sub.HasProximal():
		return r.least()
	case r.sharpest():
		return min(r.least(), r.gap.LooseTol)
	}
	return min(r.least(), r.gap.Tol)
}

// backtrackToFeasible moves the iteration's point towards the best feasible one until it is
// feasible itself, of a convex problem as far as that point. It reports whether the objective has
// changed by no more than room; else nothing has changed.
func (r *run) backtrackToFeasible(it *Iteration, room float64) bool {
	if !r.res.Feasible {
		return false
	}
	y := make([]float64, len(r.x))
	const least = 0x1p-52 // Source: derived: a rounding of the distance between the two
	for share := least; share < 1 || share == 1 && r.sub.Convex(); share *= 2 {
		for j, v := range r.x {
			y[j] = (1-share)*v + share*r.res.X[j]
		}
		r.p.Pin(y)
		if f := r.p.Value(y); !(math.Abs(f-it.Objective) <= room) {
			return false
		}
		if r.p.Feasible(y, r.set.FeasTol) {
			copy(r.x, y)
			r.measure(it, r.x)
			r.keep(*it)
			return true
		}
	}
	return false
}

// obstacle says why the run has not converged yet.
func (r *run) obstacle() string {
	if !r.res.Feasible {
		_, r.res.Worst = r.p.Violation(r.res.X)
		return fmt.Sprintf("%s is broken by %.2g", r.res.Worst, r.res.Violation)
	}
	if n := len(r.res.History); n > 1 {
		last, before := r.res.History[n-1], r.res.History[n-2]
		return fmt.Sprintf("the objective still changes by %.2g per iteration",
			math.Abs(last.Objective-before.Objective))
	}
	return ""
}

// stuck: the point has not moved, and does not keep the constraints.
func (r *run) stuck(it Iteration) bool { return !r.keeps(it) && it.moved <= r.set.Tol }

// update prepares the next iteration: it raises τ as long as slacks are open. A point
// that is stuck without slack waits for a sharper solver. One that is stuck at τmax
// sits at a kink, or was drawn there by the objective while τ was small: other points are
// tried, with a τ that puts the constraints first.
func (r *run) update(ctx context.Context, it Iteration) (*outcome, error) {
	s, stuck, open := &r.penalty, r.stuck(it), it.open > r.set.FeasTol
	s.Note(stuck, it.priced)
	switch {
	case stuck && !open:
		if end, err := r.sharpen(ctx, &it); err != nil || end != nil {
			return end, err
		}
	case open && s.MayTurn(stuck) && r.turn():
		s.Turned()
	case s.Exhausted(stuck, open):
		if s.Restarts == penalty.MostRestarts {
			return conclude(Broken, ""), nil
		}
		r.restart()
		it.Objective = math.NaN()
	case !it.Feasible && open:
		s.Grow(it.priced, r.prev.priced)
	}
	r.prev = it
	return nil, nil
}

// sharpen asks the backend for more accuracy, as far as that goes.
func (r *run) sharpen(ctx context.Context, it *Iteration) (*outcome, error) {
	c := &r.recover
	if c.tol <= tightest {
		if r.sub.Session.Res.Res.Max() <= stop.Enough && r.backtrackToFeasible(it, r.least()) {
			return r.converged(Stationary), nil
		}
		return conclude(Inaccurate, "", c.note), nil
	}
	return r.tighten(ctx, max(c.tol/100, tightest))
}
