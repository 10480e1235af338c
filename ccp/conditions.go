package ccp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/sensitivity"

	"github.com/dcopt/dcopt/ccp/internal/diagnose"
	"github.com/dcopt/dcopt/ccp/internal/kkt"
	"github.com/dcopt/dcopt/ccp/internal/stop"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/internal/num"
)

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
		if res.Trusted && (at == nil || r.distinct(at, x, root)) {
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
	if k := r.kept; k != nil && k.duals.Rows != nil && !r.distinct(k.X, x, root) {
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
	*k = restPoint{*r.result(&it), r.duals(k.duals)}
	k.end = end
	if !r.sub.Convex() && r.holding.point != nil && slices.Equal(r.holding.point.X, r.x) {
		k.duals = r.holding.duals
	}
	if r.kept == nil || r.ahead(&r.kept.Result, &k.Result, 0) {
		r.kept = k
	}
	return end
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

// infimum is that of a convex problem whose objective tends to it from the start through x, and
// attains it nowhere on the way. ok is false for other problems.
func (r *run) infimum(x []float64) (infimum float64, ok bool) {
	if !r.sub.Convex() {
		return 0, false
	}
	return r.where.Falling(x)
}

// shown is the end of a convex problem whose last solution is as accurate as it gets.
func (r *run) shown() *outcome {
	if r.gap.Open <= r.gap.LooseTol {
		return r.converged(Stationary)
	}
	return r.giveUp(NotShown, r.leftOpen(), r.recover.note)
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
		_, still = r.means.kinds.Stationary()
	}
	far := r.where.Distance(r.res.X) > diagnose.Far*diagnose.Far
	r.far = r.far || far
	convex := r.sub.Convex()
	r.holding = r.conditions(ctx, r.tip, r.res.X, !convex)
	if !convex && r.lowerByViolation(k) {
		r.res.moveTo(&k.Result)
		r.holding = r.conditions(ctx, r.tip, r.res.X, true)
	}
	slope, degenerate := r.holding.slope, r.holding.degenerate
	held, duals := slope <= 1 || still && slope <= rough, k.duals
	switch {
	case !held && convex: // the bound of the objective is
	case !held && !r.strayed():
		if r.distinct(k.X, r.res.X, r.set.FeasTol) {
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

// lowerByViolation reports whether the best point is beside k and lower by no more than its larger
// violations explain: Newton's method along equations passes points that break them by nearly
// FeasTol, and are lower than its end.
func (r *run) lowerByViolation(k *restPoint) bool {
	rise, root := r.minimised(k.Objective)-r.minimised(r.res.Objective), math.Sqrt(r.set.Tol)
	return k.Feasible && k.duals.Rows != nil && k.Violation < r.res.Violation && !r.distinct(k.X, r.res.X, root) &&
		rise <= r.least()+min(r.holding.point.Owed(k.duals.Rows), root*r.worthOf(r.res.X).size)
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
	return r.ahead(&k.Result, r.res, counts) && r.distinct(k.X, r.res.X, math.Sqrt(r.set.Tol))
}

// distinct reports whether two points differ by more than tol in parts of the sizes of variables.
func (r *run) distinct(x, y []float64, tol float64) bool { return !(distance(r.sub, x, y) <= tol) }

// distance is the largest difference from x to y in parts of the sizes of variables.
func distance(of *subproblem.Problem, x, y []float64) (most float64) {
	for j, v := range y {
		if d := math.Abs(v-x[j]) / max(of.Size(j), math.Abs(v)); !(d <= most) && v != x[j] {
			most = d
		}
	}
	return most
}

// polish replaces the last point by the refined one: where the objective is flat, its accuracy Tol
// fixes a point to √Tol alone.
func (r *run) polish(ctx context.Context, end *outcome) {
	switch {
	case end.status() != Converged || r.sub.HasProximal():
	case !r.sub.Convex():
		r.polishHeld()
	default:
		t, ok := sensitivity.Refine(ctx, r.sub, r.res.X)
		if ok && r.refined(clippedToBox(r.p, t.X[:len(r.res.X)]), r.gap.Tol) {
			r.res.room.convex = t
			r.res.take(r.sub.WrittenDuals(subproblem.Multipliers{}, t))
		}
	}
}

// Limits of Newton's method from the last point. Source: derived: from √Tol three steps leave
// rounding errors. To factorise a system of n unknowns takes n³/3 multiplications, ten of which
// take as long as a unit of work: where n³ is the run's work, three steps take a tenth of its time.
// One step of 300 unknowns takes some 5 ms.
const (
	mostPolishes = 3
	mostUnknowns = 300
)

// polishHeld makes steps of Newton's method from the last point, where multipliers hold it, as long
// as each is at most half of the one before.
func (r *run) polishHeld() {
	if r.res.Duals == nil || r.res.BoundDuals == nil {
		return
	}
	most := min(mostUnknowns, int(math.Cbrt(r.budget.Used())))
	m, last := subproblem.Multipliers{Rows: r.res.Duals, Bounds: r.res.BoundDuals}, math.Inf(1)
	from := r.examined(r.res.X)
	at := from
	for n := 0; n < mostPolishes && last > sensitivity.Rounded; n++ {
		y, rows, ok := at.Newton(m.Rows, m.Bounds, most)
		if !ok {
			break
		}
		next := r.examined(clippedToBox(r.p, y))
		step, res := distance(r.sub, at.X, next.X), next.Residual(rows)
		if !(step <= last/2) || !(res.Slope <= math.Sqrt(r.set.Tol)) || res.Trusted {
			break
		}
		at, m, last = next, subproblem.Multipliers{Rows: rows, Bounds: res.Bounds}, step
	}
	if !(last <= r.set.Tol) || r.distinct(at.X, r.res.X, math.Sqrt(r.set.Tol)) {
		return
	}
	if r.refined(at.X, r.least()+from.Owed(r.res.Duals)) {
		r.res.take(m)
	}
}

// refined moves to x, and reports whether it has. The point stays where x is worse: where that
// breaks constraints by more than the point before and by more than rounding errors do, or its
// objective is higher by more than these change it or, where it breaks less, by counts more.
func (r *run) refined(x []float64, counts float64) bool {
	var it Iteration
	before, most := r.worthOf(r.res.X).broken.Relative, 3*r.noise(r.res.X)
	r.measure(&it, x)
	if it.Relative < before {
		most += counts
	}
	rise := r.minimised(it.Objective) + it.noise() - r.minimised(r.res.Objective)
	if !num.Finite(it.Objective) || !(rise <= most) || !(it.Relative <= max(before, sensitivity.Rounded)) {
		return false
	}
	r.res.moveTo(r.result(&it))
	return true
}
