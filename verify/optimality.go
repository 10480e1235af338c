package verify

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Tolerances of bounds of convex problems, and of first-order conditions of others, beside the sizes of their parts. Source:
// objectives off by more than 1e-5 count as wrong in comparisons of solvers (docs/bench.md); the second one tells
// multipliers of another point or problem, whose slopes are as large as their terms. It is no accuracy: whether steps
// along the slope are better is looked at besides.
const (
	convexTol = 1e-5
	localTol  = 0.1
)

// nearby is how far from the point a bound is shown where variables have no bounds, relative to max(1, |x|). Source:
// any number does; the finding tells it.
const nearby = 10

// optimality tests what a converged result says of other points, and what multipliers say.
func (c *checking) optimality() {
	r := c.r
	converged := r.Status == "converged"
	if !converged && (r.Bound == nil || len(r.duals) == 0) { // the multipliers are of no claim
		return
	}
	value := c.cost(c.worse())
	enough := func(lower float64) bool { return value-lower <= convexTol*max(c.size(), math.Abs(value)) }
	found, by, convex := Incomplete, "", false
	conclude := func(m *multipliers, whose string) (s minorant, v Verdict) {
		var text string
		s, text, v = c.try(m, enough)
		if v == Accepted || by == "" {
			by = whose + text
		}
		found = min(found, v)
		convex = convex || s.curved == ""
		return s, v
	}
	if c.lower == c.lower && enough(c.lower) {
		found, by = Accepted, fmt.Sprintf("no feasible point has an objective better than %.17g, by %s", c.cost(c.lower), c.by)
	}
	var s minorant
	switch m, err := c.multipliers(r); {
	case len(r.duals)+len(r.boundDuals) == 0:
	case err != nil && errors.Is(err, errUnchecked):
		c.add("duals", Incomplete, "%v", err)
	case err != nil:
		c.add("duals", Incomplete, "the multipliers: %v", err)
	default:
		var v Verdict
		s, v = conclude(m, "the multipliers show that ")
		c.duals(&s, v == Accepted && s.curved == "")
	}
	if found != Accepted && converged {
		if m, err := c.estimate(c.exact); err == nil {
			s, _ = conclude(m, "multipliers that verify has found show that ")
		} else if by == "" {
			by = err.Error()
		}
	}
	if !converged {
		return
	}
	if s.slope != nil && (found != Accepted || s.curved != "") {
		if v, ok := c.step(s.slope, value, convex); ok {
			c.add("status", Refused, "a feasible point near the result's has the objective %.17g, which is better than %.17g", v, c.worse())
			return
		}
		by += "; no better point was found near it"
	}
	c.add("status", found, "%s", by)
}

// duals says what is known of the multipliers themselves. Those that show a bound are right.
func (c *checking) duals(s *minorant, bound bool) {
	if s.wrong != "" {
		c.add("duals", Refused, "the multiplier of %s has the wrong sign", s.wrong)
		return
	}
	off := max(s.relative, s.slackness/max(c.size(), math.Abs(c.Hi)))
	if bound {
		off = 0
	}
	text := fmt.Sprintf("slope of the Lagrangian at most %.3g, %.3g relative; products with slacks at most %.3g", s.residual, s.relative, s.slackness)
	if s.unmatched > off {
		off, text = s.unmatched, text+fmt.Sprintf("; multipliers of bounds differ from the slopes by %.3g, relative", s.unmatched)
	}
	c.add("duals", holds(off <= localTol), "%s", text)
}

// try says what multipliers show of other points.
func (c *checking) try(m *multipliers, enough func(lower float64) bool) (s minorant, text string, v Verdict) {
	in, size := c.region(), c.size()
	s, err := c.lagrange(m, c.exact, in, 1, size, atPoint)
	if err != nil {
		return s, err.Error(), Incomplete
	}
	if s.curved != "" || s.wrong != "" {
		ok := s.wrong == "" && s.relative <= localTol && s.slackness <= localTol*max(size, math.Abs(c.Hi))
		return s, fmt.Sprintf("first-order conditions hold to %.3g, relative; they bound no other point, as %s is not convex", s.relative, s.curved), shown(ok)
	}
	lower := c.best(m, s.lower, in, enough)
	where := ""
	if math.IsInf(lower, -1) { // a variable has no bounds
		where = fmt.Sprintf(" within %g times max(1, abs(x)) of the result's", float64(nearby))
		near := &reachable{box: slices.Clone(in.box)}
		for j := range near.box {
			r := nearby * max(1, math.Abs(c.x[j]))
			near.box[j] = near.box[j].meet(span{c.x[j] - r, c.x[j] + r})
		}
		lower = c.best(m, math.Inf(-1), near, enough)
	} else {
		c.show(min(lower, c.cost(c.worse())), "the multipliers") // worse points are elsewhere
	}
	return s, fmt.Sprintf("no feasible point%s has an objective better than %.17g", where, c.cost(lower)), shown(where == "" && enough(lower))
}

// best is the largest bound that multipliers show by slopes at the point, beside it, or at points further down.
func (c *checking) best(m *multipliers, lower float64, in *reachable, enough func(lower float64) bool) float64 {
	if enough(lower) {
		return lower
	}
	for _, how := range []slopesAt{atPoint, besideIt} {
		if t, err := c.lagrange(m, c.exact, in, 1, c.size(), how); err == nil {
			lower = max(lower, t.lower)
		}
	}
	if !math.IsInf(lower, -1) && !enough(lower) {
		lower = max(lower, c.descend(m, c.x, in, 1, c.size(), enough))
	}
	return lower
}

// region is where better points lie.
func (c *checking) region() *reachable {
	if c.in == nil {
		c.in = c.reach(c.cost(c.worse()))
		for j, b := range c.in.box { // the point's own tangents are to hold there
			c.in.box[j] = span{min(b.lo, c.x[j]), max(b.hi, c.x[j])}
		}
	}
	return c.in
}

// step looks along a direction of descent for a point that breaks no row by more than the result's, and is clearly better.
func (c *checking) step(slope []float64, value float64, convex bool) (objective float64, ok bool) {
	tol := betterTol
	if convex {
		tol = convexTol
	}
	far := 0.0
	for j, s := range slope {
		far = max(far, math.Abs(s)/max(1, math.Abs(c.x[j])))
	}
	for t := 1 / far; t > 1e-9/far && !math.IsInf(t, 1); t /= 4 {
		y := slices.Clone(c.x)
		for j, s := range slope {
			y[j] = span{c.lo[j], c.hi[j]}.clip(y[j] - t*s)
		}
		pt, err := c.Evaluate(y)
		if err != nil || pt.Outside != "" || pt.Violation > c.least {
			continue
		}
		objective = pt.Hi
		if c.Maximize {
			objective = pt.Lo
		}
		if c.cost(objective) < value-tol*max(c.size(), math.Abs(value)) {
			return objective, true
		}
	}
	return 0, false
}

// betterTol is the gain, beside the objective, from which on a point next to one that counts as converged is better. Source:
// a hundred times convexTol, as descents may become slow before they are at a local minimum.
const betterTol = 1e-3

// farkas shows by multipliers that no point is feasible: their combination of the constraints is positive over the whole
// region.
func (c *checking) farkas() (why string, ok bool) {
	m, err := c.multipliers(c.r)
	if err != nil || len(c.r.duals) == 0 {
		return "", false
	}
	start, err := c.point(c.r.variables)
	if err != nil {
		start = make([]float64, c.n)
	}
	in := c.reach(math.Inf(1))
	clear(m.bounds) // the bounds are in the region
	least := c.Problem.descend(m, start, in, 0, 1, func(lower float64) bool { return lower > 0 })
	return fmt.Sprintf("the multipliers show that no point is feasible: their sum of the constraints is at least %.3g", least), least > 0
}
