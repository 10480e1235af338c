package ccp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/diagnose"
	"github.com/dcopt/dcopt/ccp/internal/kkt"
	"github.com/dcopt/dcopt/ccp/internal/penalty"
	"github.com/dcopt/dcopt/ccp/internal/stop"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
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
		Objective: it.Objective, Before: r.prev.Objective, Keeps: r.keeps(it), Convex: r.sub.Convex() && !r.sub.Damped(), Strict: r.course.Strict,
		Settled: r.course.Settled(r.minimised(it.Objective), r.set.Tol), Residual: r.sub.Session.Res.Res.Max(),
		Least: r.least(), Switched: r.sub.Lin.Switched, Restarts: penalty.MostRestarts - r.penalty.Restarts,
		AtPole:    len(r.sub.Compiled.Domain) > 0 && r.keeps(it) && r.where.Pole(r.x, r.step.From, r.sub.Units.Sizes),
		Sharpened: r.course.Sharpened, Patient: r.patient,
		Coarse:   it.Feasible && r.set.Scale == 0 && r.recover.tol > finest && r.recover.tol > r.fine(it),
		Misfit:   r.course.Refits < stop.MostRefits && r.sub.Convex() && r.sub.Misfit(r.x),
		Below:    r.course.Refits < stop.MostRefits && r.below(it, gap.Open),
		AlongRay: f.ray != nil,
	}
	if !f.Convex && f.Rests() {
		f.holding = r.conditions(ctx, r.sub, r.x, false)
		f.Held = f.holding.slope <= 1
	}
	return f
}

// conditions finds the multipliers with the least residual at x, among those of the convex
// problem sub and of a projection. They meet the first-order conditions where slope,
// kkt.Residual.Slope over √Tol, is at most 1: a smooth function that is above its minimum by Tol
// has a slope of √Tol. At a kink the multipliers of a solution near x are trusted. polish asks
// for a projection also where smaller slopes are left.
func (r *run) conditions(ctx context.Context, sub *subproblem.Problem, x []float64, polish bool) holding {
	h, root := holding{point: r.examined(x), slope: math.Inf(1)}, math.Sqrt(r.set.Tol)
	h.residual.Rest = math.Inf(1)
	// at: of a convex problem's solution
	try := func(m subproblem.Multipliers, at []float64) (trusted bool) {
		res := h.point.Residual(m.Rows)
		v := res.Slope / root
		if res.Trusted && (at == nil || r.apart(at, x, root)) {
			v = math.Inf(1)
		}
		if v < h.slope || v == h.slope && res.Rest < h.residual.Rest {
			if res.Bounds != nil {
				m.Bounds = res.Bounds
			}
			h.duals, h.residual, h.slope = m, res, v
		}
		return res.Trusted
	}
	// a search may have taken tangents elsewhere, of a problem that is not convex
	own := false
	if k := r.kept; k != nil && k.duals.Rows != nil && !r.apart(k.X, x, root) {
		own = sub.Convex() && slices.Equal(k.X, x)
		if !try(k.duals, k.X) && !own {
			h.slope = math.Inf(1)
		}
	}
	if !own && len(sub.Session.Res.Y) == sub.Compiled.Rows.Count() && h.slope >= 1 {
		try(sub.WrittenDuals(subproblem.Multipliers{}, sub.Session.Last()), sub.Session.Res.X)
	}
	// A slope of 1 may be one that is trusted; others may be shown.
	if h.slope > 1 || polish && (h.slope == 1 || !(h.residual.Rest <= r.set.Tol)) {
		var rows [][]float64
		var ok bool
		if rows, h.degenerate, ok = h.point.Project(ctx); ok {
			try(subproblem.Multipliers{Rows: rows, Bounds: make([]float64, len(x))}, nil)
		}
	}
	return h
}

// examined is x with its tolerances. The size of a variable is at least its unit at the start or
// its bounds, but no more than the largest entry of x.
func (r *run) examined(x []float64) *kkt.Point {
	root := math.Sqrt(r.set.Tol)
	p := r.means.point // which no other holding has
	if r.means.point = nil; p == nil {
		p = new(kkt.Point)
	}
	p.Move(r.p, x)
	p.Relative, p.Near = root, r.set.FeasTol
	top := num.NormInf(x)
	for _, v := range r.p.Vars {
		own := v.Size()
		for k := range v.Len() {
			j := v.Offset + k
			lo, hi := v.Bounds(k)
			if v.Param {
				lo, hi = x[j], x[j]
			}
			p.Lo, p.Hi = append(p.Lo, lo), append(p.Hi, hi)
			p.Size = append(p.Size, max(r.sub.Size(j), min(max(r.where.Unit[j], own), top)))
		}
	}
	r.sub.BoundDomains(p.Lo, p.Hi)
	if p.Product = root * r.set.Scale; r.set.Scale <= 0 {
		p.Product = root * r.course.SpanAt(stop.Value{Objective: r.p.Value(x), Size: r.worthOf(x).size}, p.Varies)
	}
	return p
}

// converged is the end at x, which is kept where it is the best such point so far. Where the
// point is no exact minimum of a convex problem, that is the reason.
func (r *run) converged(why Reason) *outcome {
	limit, off := r.infimum(r.res.X)
	open, note := r.leftOpen(), r.recover.note
	end := conclude(why, "", note)
	switch {
	case off:
		verb := "falls"
		if r.p.Maximize {
			verb, limit = "rises", 0-limit
		}
		const format = "the objective %s towards %.6g without end as the point runs off: no point there attains it"
		end = conclude(NotAttained, fmt.Sprintf(format, verb, limit), note)
	case open != "":
		end = conclude(Inexact, open, note)
	case why == Stationary && r.sub.Convex():
		end = conclude(Minimum, "", note)
	}
	k := r.means.rest
	if r.means.rest = nil; k == nil || !r.sub.Convex() {
		k = new(restPoint)
	}
	it := Iteration{Start: r.res.Start}
	r.measure(&it, append(k.X[:0], r.x...))
	if !r.res.Feasible {
		return r.giveUp(Inaccurate, "", end.message)
	}
	*k = restPoint{*it.Result(), r.duals(k.duals)}
	k.end = end
	k.nearly = k.Feasible || it.Relative <= r.set.FeasTol
	if !r.sub.Convex() && r.holding.point != nil && slices.Equal(r.holding.point.X, r.x) {
		k.duals = r.holding.duals
	}
	if r.kept == nil || r.ahead(&r.kept.Result, &k.Result, 0) {
		r.kept = k
	}
	return end
}

// ahead reports whether b is better than a, by more than counts.
func (r *run) ahead(a, b *Result, counts float64) bool {
	if class, other := rank(b.Feasible, b.nearly), rank(a.Feasible, a.nearly); class != other {
		return class > other
	}
	return a.certain(r.p.Maximize)-b.certain(r.p.Maximize) > counts
}

// rest is the end at the best point. It is converged where multipliers meet the first-order
// conditions, there or at a point that is worse by no more than counts, or where no small step is
// better and no multipliers exist.
func (r *run) rest(ctx context.Context, remarks ...string) *outcome {
	k := r.kept
	if k == nil {
		k = &restPoint{}
		k.end = conclude(Stationary, "")
	}
	still := false
	if r.means.kinds != nil {
		_, still = r.means.kinds.Judge()
	}
	far := r.where.Distance(r.res.X) > diagnose.Far*diagnose.Far
	r.far = r.far || far
	convex := r.sub.Convex()
	r.holding = r.conditions(ctx, r.tip, r.res.X, !convex)
	slope, degenerate := r.holding.slope, r.holding.degenerate
	held, duals := slope <= 1 || still && slope <= rough, k.duals
	switch {
	case !held && convex: // the bound of the objective is
	case !held && !r.strayed():
		if r.apart(k.X, r.res.X, r.set.FeasTol) {
			r.res.moveTo(&k.Result)
		}
	case held && (convex || degenerate == nil || !(r.holding.residual.Rest > math.Sqrt(r.set.Tol))):
		duals = r.holding.duals
	case held, r.res.Feasible && !far && (still && degenerate != nil ||
		(still || r.more(0)) && r.holding.point.Bent()):
		r.res.NoMultipliers = &Absence{}
		if degenerate != nil {
			r.res.NoMultipliers.Constraint = degenerate.Name()
		}
		return conclude(Still, "", remarks...)
	case !r.more(0):
		return r.giveUp(r.limit(), "", remarks...)
	default:
		return r.giveUp(NotStationary, "", remarks...)
	}
	r.res.take(duals)
	return k.end
}

// rough is the slope over √Tol that multipliers may leave where by values and gradients no small
// step is better. Source: a hundredth of its parts at the default Tol, where a kink is not told
// from a curve; package verify shows a slope only below a thousandth, and leaves the rest open.
const rough = 10

// strayed reports whether the best point is better, by more than counts, than the point at which
// the procedure has converged, and another one: at a smooth minimum points whose objectives differ
// by Tol are √Tol apart.
func (r *run) strayed() bool {
	k := r.kept
	if k == nil {
		return true
	}
	counts := max(r.set.Tol*max(math.Abs(k.Objective), math.Abs(r.res.Objective)), r.noise(r.res.X))
	return r.ahead(&k.Result, r.res, counts) && r.apart(k.X, r.res.X, math.Sqrt(r.set.Tol))
}

// apart reports whether two points differ by more than tol in parts of the sizes of variables.
func (r *run) apart(x, y []float64, tol float64) bool { return !(r.distance(x, y) <= tol) }

// distance is the largest difference from x to y in parts of the sizes of variables.
func (r *run) distance(x, y []float64) (most float64) {
	for j, v := range y {
		if d := math.Abs(v-x[j]) / max(r.sub.Size(j), math.Abs(v)); !(d <= most) && v != x[j] {
			most = d
		}
	}
	return most
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
		if it.Feasible || r.retreat(it, r.room()) || r.course.Strict && r.course.Sharpened && r.tightEnough() {
			if v == stop.Unsettled {
				return r.converged(Noise), nil
			}
			return r.converged(Stationary), nil
		}
		r.course.Insist()
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
		r.sub.Refit(r.x)
		if usual := r.usualTol(); r.recover.tol < usual { // in these units that says enough
			r.course.Sharpened = false
			return r.tighten(ctx, usual)
		}
	case stop.Insist:
		r.course.Insist()
		r.penalty.Recount()
	}
	return nil, nil
}

// bound takes from the multipliers of a convex problem, and from the range of its objective, how
// far the objective may be above its least value nearby. It is relative to the terms of the objective,
// or to the range that the variables' bounds leave it, if that is less. Where the terms
// of the objective are less than was open before, they vanish at the solution, and have no
// size; the share of the objective's unit that a backend tells from 0 stands in its place, at last of
// the unit at the start.
func (r *run) bound(it Iteration) stop.Gap {
	c := r.gap
	if !r.sub.Convex() || r.sub.Damped() || !r.keeps(it) {
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
		within := r.p.Objective.Range()
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
	if !near && r.res.Violation == 0 && best < least-c.Tol || it.Violation == 0 && r.minimised(it.Objective) < least-c.Tol {
		c.Open, proved = math.Inf(1), false // a point that breaks nothing disproves the bound, or its reach
	}
	c.Proved = proved
	return c
}

// spread is no more than the range that the variables' bounds leave the objective: its distance from the value at the start, if
// that keeps them, 0 if not.
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
	return !r.sub.Convex() || r.sub.Damped() || r.best()-r.gap.Least <= r.gap.LooseTol
}

// shown is the end of a convex problem whose last solution is as accurate as it gets.
func (r *run) shown() *outcome {
	if r.gap.Open <= r.gap.LooseTol {
		return r.converged(Stationary)
	}
	return r.giveUp(NotShown, r.leftOpen(), r.recover.note)
}

// infimum is that of a convex problem whose objective tends to it from the start through x, and
// attains it nowhere on the way. ok is false for other problems.
func (r *run) infimum(x []float64) (infimum float64, ok bool) {
	if !r.sub.Convex() {
		return 0, false
	}
	return r.where.Falling(x)
}

// leftOpen says how far a convex problem is solved to less than Tol says, "" where it is not.
func (r *run) leftOpen() string {
	c := &r.gap
	if !r.sub.Convex() || c.Open <= c.Tol || c.Open <= finest*c.Unit {
		return ""
	}
	if !num.Finite(c.Open) {
		return plainEnds[NotShown].message
	}
	const format = "the objective may be %.2g above its least value, and the backend solves the problem no better"
	return fmt.Sprintf(format, c.Open)
}

// fine is the tolerance of the backend that leaves no more of the objective open than
// counts beside its terms and the range that it has gone through.
func (r *run) fine(it Iteration) float64 {
	return r.set.Tol * max(it.size, r.course.Range()) / r.sub.Session.Solver.Objective()
}

// room is by how much the objective may change where the procedure has converged at a point: by no
// more than counts, and in a convex problem by no more than may be open there, as the backend's accuracy may be far coarser.
func (r *run) room() float64 {
	switch {
	case !r.sub.Convex() || r.sub.Damped():
		return r.least()
	case r.sharpest():
		return min(r.least(), r.gap.LooseTol)
	}
	return min(r.least(), r.gap.Tol)
}

// retreat moves the iteration's point towards the best feasible one until it is
// feasible itself, of a convex problem as far as that point. It reports whether the objective has
// changed by no more than room; else nothing has changed.
func (r *run) retreat(it *Iteration, room float64) bool {
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
	_, r.res.Worst = r.p.Violation(r.res.X)
	return r.obstacleAt()
}

// obstacleAt is obstacle where the result has the name of the worst constraint.
func (r *run) obstacleAt() string {
	if !r.res.Feasible {
		return fmt.Sprintf("%s is broken by %.2g", r.res.Worst, r.res.Violation)
	}
	if n := len(r.res.History); n > 1 {
		last, before := r.res.History[n-1], r.res.History[n-2]
		return fmt.Sprintf("the objective still changes by %.2g per iteration", math.Abs(last.Objective-before.Objective))
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
		if r.sub.Session.Res.Res.Max() <= stop.Enough && r.retreat(it, r.least()) {
			return r.converged(Stationary), nil
		}
		return conclude(Inaccurate, "", c.note), nil
	}
	return r.tighten(ctx, max(c.tol/100, tightest))
}

// timid goes back to the start, with a small τ, from a first iteration that has put the
// constraints first and left slacks open. Where it has closed them all the tangents can
// be met together, and no later convex problem needs slacks: the descent is one among
// feasible points, and short.
func (r *run) timid(it Iteration) bool {
	first := r.penalty.SlacksFirst
	r.penalty.SlacksFirst = false
	if !first || it.open <= r.set.FeasTol {
		return false
	}
	copy(r.x, r.where.Start)
	copy(r.z, r.where.Start)
	r.penalty.Tau = r.penalty.First
	r.prev = Iteration{Objective: math.NaN()}
	return true
}

// restart goes back to the best point that keeps the constraints if there is one, else
// to the start, then to points beside it, further each time.
func (r *run) restart() {
	s := &r.penalty
	s.Restarts++
	copy(r.x, r.where.Start)
	switch {
	case r.res.nearly: // from there it can stay so
		copy(r.x, r.res.X)
	case s.Restarts > 1:
		r.wander()
	}
	copy(r.z, r.x)
	s.Again()
	r.slow()
	r.course.Strict, r.course.Sharpened = false, false
}

// turn takes the tangents on the other side of the DC constraints of one variable with two
// bounds that are open although τ puts them first, where these are broken no more than
// here: the variable is mirrored about the middle, or leaves it. Where 0 or 1 is
// wanted, the tangent at .4 asks for 0; if that breaks a convex constraint, the point
// stays, and 1 has to be asked for. It reports whether there are such constraints.
func (r *run) turn() bool {
	rng := rand.New(rand.NewPCG(r.set.Seed, 0x7475+uint64(r.penalty.Turns))) // the second word names the stream
	turned := false
	copy(r.z, r.x)
	for k, gap := range r.sub.SoftValues(r.x) {
		c := r.sub.Compiled.Soft[k]
		if !(gap > r.set.FeasTol) {
			continue
		}
		idx := c.E().Scalar().H().Support()
		if len(idx) != 1 {
			continue
		}
		j := idx[0]
		lo, hi := r.where.Lo[j], r.where.Hi[j]
		if lo == hi || math.IsInf(hi-lo, 1) {
			continue
		}
		r.z[j] = lo + hi - r.x[j]
		if math.Abs(r.z[j]-r.x[j]) < middle*(hi-lo) {
			r.z[j] = lo + (hi-lo)*rng.Float64()
		}
		if !(c.Value(r.z) <= gap*(1+1e-6)) {
			r.z[j] = r.x[j]
		}
		turned = turned || r.z[j] != r.x[j]
	}
	if !turned || !r.sub.Compiled.Inside(r.z) {
		copy(r.z, r.x)
		return false
	}
	return true
}

// middle is how near, in parts of the range, an entry and its mirror image are at the
// middle.
// Source: docs/lab/ccp.md, Constants.
const middle = 1e-2

// looks are the points that wander compares.
// Source: docs/lab/ccp.md, Constants.
const looks = 50

// wander moves x from the start to the point that breaks the DC constraints least among
// some beside it, further each time. Where their h is flat, as that of max(0, ·) on one
// side, tangents do not lead anywhere, but values do.
func (r *run) wander() {
	rng := rand.New(rand.NewPCG(r.set.Seed, 0x6167+uint64(r.penalty.Restarts))) // the second word names the stream
	reach := 0.1 * math.Pow(4, float64(r.penalty.Restarts-2))
	least, y := math.Inf(1), make([]float64, len(r.x))
	for range looks {
		for j, v := range r.where.Start {
			y[j] = v + reach*max(r.sub.Units.Of[j], math.Abs(v))*rng.NormFloat64()
			y[j] = min(max(y[j], r.where.Lo[j]), r.where.Hi[j])
		}
		if open, _ := r.sub.Gaps(y); open < least && r.sub.Compiled.Inside(y) {
			least = open
			copy(r.x, y)
		}
	}
}
