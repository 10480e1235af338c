package verify

import (
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

// tried is the bound on other points that multipliers show.
type tried struct {
	minorant
	bound float64 // no point has a smaller cost; −Inf: that is not shown
	text  string  // the finding
}

// optimality tests the status of a converged result, and multipliers. First-order conditions are tested
// beside the multipliers that verify finds, whose sizes are not the result's choice.
func (c *checking) optimality() {
	r := c.r
	if r.Status != "converged" && r.Bound == nil { // the multipliers are of no claim
		return
	}
	m, err := c.multipliers(r)
	stated, own := c.try(m, err, "the multipliers"), tried{}
	var held minorant
	duals := len(r.duals)+len(r.boundDuals) > 0
	sharp := false
	if duals && err == nil {
		held, sharp, err = c.sharp(m)
	}
	if duals && !sharp || !c.enough(stated.bound, math.Abs(c.worse())) {
		mine, err := c.estimate(c.exact, m)
		own = c.try(mine, err, "multipliers that verify has found")
	}
	switch {
	case !duals:
	case err != nil:
		c.add("duals", Incomplete, "%v", err)
	case held.wrong != "":
		c.add("duals", Refused, "the multiplier of %s has the wrong sign", held.wrong)
	default:
		c.duals(&held, own.parts, sharp)
	}
	if r.Status != "converged" {
		return
	}
	ok, by := c.enough(c.lower, math.Abs(c.worse())), own.text
	if ok {
		by = fmt.Sprintf("no feasible point has an objective better than %.17g, by %s", c.cost(c.lower), c.by)
	}
	if own.curved != "" {
		for _, s := range [2]*tried{&stated, &own} {
			if off := relative(s.free, own.parts, nil); !ok && s.parts != nil && s.wrong == "" {
				ok = off <= localTol && s.slackness <= betterTol*c.scale
				by = fmt.Sprintf("first-order conditions hold to %.3g, relative; they bound no other point, as %s is not convex", off, own.curved)
			}
		}
	}
	if own.slope != nil && (!ok || own.curved != "") {
		if v, better := c.step(own.slope, own.curved == ""); better {
			c.add("status", Refused, "a feasible point near the result's has the objective %.17g, which is better than %.17g", v, c.worse())
			return
		}
		by += "; no better point was found near it"
	}
	c.add("status", shown(ok), "%s", by)
}

// enough: a bound is that of the point, beside a size of the objective.
func (c *checking) enough(lower, size float64) bool {
	return c.cost(c.worse())-lower <= convexTol*max(c.unit, size)
}

// duals says what is known of the multipliers themselves, beside the parts of slopes by multipliers that verify has found.
func (c *checking) duals(s *minorant, parts []float64, sharp bool) {
	off := relative(s.free, s.parts, nil)
	if parts != nil {
		off = relative(s.free, parts, nil)
	}
	rough := slices.Clone(s.parts) // the slopes when variables change by their sizes
	for j := range rough {
		rough[j] += s.second[j] * max(1, math.Abs(c.x[j]))
	}
	v := Incomplete
	switch {
	case sharp, parts != nil && off <= betterTol && s.slackness <= betterTol*c.scale:
		v = Accepted
	case relative(s.free, rough, s.edge) > localTol || s.slackness > localTol*c.scale:
		v = Refused // slopes at the end of a domain may have no end
	}
	c.add("duals", v, "slope of the Lagrangian at most %.3g, relative; products with slacks at most %.3g", off, s.slackness)
}

// sharp reports whether the multipliers of rows and bounds, without help from the bounds, show the objective near the point.
func (c *checking) sharp(m *multipliers) (s minorant, ok bool, err error) {
	held := *m
	held.held = true
	enough := func(lower float64) bool { return c.enough(lower, c.scale) }
	s, best, err := c.descend(&held, c.exact, c.near(c.x, 1, c.Problem.bounds(), &held), 1, c.scale, enough)
	return s, enough(best.lower), err
}

// try says what multipliers show of other points. err says why there are none.
func (c *checking) try(m *multipliers, err error, whose string) (t tried) {
	t.bound = math.Inf(-1)
	enough := func(lower float64) bool { return c.enough(lower, math.Abs(c.worse())) }
	var best minorant
	if err == nil {
		t.minorant, best, err = c.descend(m, c.exact, c.region(), 1, c.scale, enough)
	}
	switch {
	case err != nil:
		t.text = err.Error()
	case t.wrong != "":
		t.text = "the multiplier of " + t.wrong + " has the wrong sign"
	case t.curved != "":
	case math.IsInf(best.lower, -1): // a variable has no bounds
		_, best, _ := c.descend(m, c.exact, c.near(c.x, nearby, c.region().box, m), 1, c.scale, enough)
		t.text = fmt.Sprintf("no feasible point within %g times max(1, abs(x)) of the result's has an objective better than %.17g, by %s",
			float64(nearby), c.cost(best.lower), whose)
	default:
		t.bound = min(best.lower, c.cost(c.worse())) // worse points are elsewhere
		c.show(t.bound, whose)
		t.text = fmt.Sprintf("no feasible point has an objective better than %.17g, by %s", c.cost(best.lower), whose)
	}
	return t
}

// near is the region within so many sizes of the variables around a point, of those whose bounds are not held within a box too.
func (p *Problem) near(x []float64, sizes float64, box []span, m *multipliers) *reachable {
	near := &reachable{box: make([]span, p.n)}
	for j := range near.box {
		r := sizes * max(1, math.Abs(x[j]))
		if near.box[j] = (span{x[j] - r, x[j] + r}); !m.held || !m.stated[j] {
			near.box[j] = near.box[j].meet(box[j])
		}
	}
	return near
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
func (c *checking) step(slope []float64, convex bool) (objective float64, ok bool) {
	tol, value := betterTol, c.cost(c.worse())
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
		if c.cost(objective) < value-tol*max(c.unit, math.Abs(value)) {
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
	if len(c.r.duals) == 0 {
		return "", false
	}
	m, err := c.multipliers(c.r)
	if err != nil {
		c.add("duals", Incomplete, "%v", err)
		return "", false
	}
	start, err := c.point(c.r.variables)
	if err != nil {
		start = make([]float64, c.n)
	}
	in, largest := c.reach(math.Inf(1)), m.size()
	for i, y := range m.rows {
		if math.Abs(y) <= wrongSign*largest { // rounding errors, of rows that need not be convex
			m.rows[i] = 0
		}
	}
	at := newValues(start, false)
	_, sum, _ := c.descend(m, at, in, 0, 1, func(lower float64) bool { return lower > 0 })
	least := sum.lower
	ok = least > 0
	c.add("duals", shown(ok), "the sum of the constraints, times their multipliers, is at least %.3g within the bounds", least)
	return fmt.Sprintf("the multipliers show that no point is feasible: their sum of the constraints is at least %.3g", least), ok
}
