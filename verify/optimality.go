package verify

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/verify/internal/safe"
)

// Tolerances of bounds of convex problems, and of slopes in first-order conditions, relative to the
// sizes of their parts. Source: objectives off by more than 1e-5 count as wrong in comparisons of
// solvers (docs/lab/bench.md). localTol is the root of the tolerance of objectives, 1e-6, as
// objectives are flat at a minimum; in sizes of variables it is how far the exact point may be.
// Multipliers between localTol and wrongTol are not shown, and not false.
const (
	convexTol = 1e-5
	localTol  = 1e-3
	wrongTol  = 100 * localTol
)

// nearby is how far from the point a bound is shown if variables have no bounds, relative to
// max(1, |x|). Source: any number does; the finding tells it.
const nearby = 10

// tried is the bound on other points that multipliers show.
type tried struct {
	minorant
	bound float64 // no point has a smaller cost; −Inf: that is not shown
	text  string  // the finding
}

// optimality tests the status of a converged result, and multipliers. First-order conditions are
// tested beside the multipliers that verify finds, whose sizes are not the result's choice.
func (c *checking) optimality() {
	r := c.r
	if r.Status != "converged" && r.Bound == nil && r.loose == nil && r.absent == nil {
		return // the multipliers are of no claim
	}
	m, err := c.multipliers(r)
	if err != nil {
		m = nil
	}
	c.remarks(m)
	stated, own := c.try(m, err, "the multipliers"), tried{}
	duals := len(r.duals)+len(r.boundDuals) > 0
	if duals || !c.enough(stated.bound) {
		mine, err := c.estimate(c.exact, m)
		own = c.try(mine, err, "multipliers that verify has found")
	}
	if duals {
		c.duals(m, &own.minorant, err)
	}
	if r.Status != "converged" {
		return
	}
	ok, by := c.enough(c.lower), own.text
	if ok {
		by = fmt.Sprintf("no feasible point has an objective better than %.17g, by %s", c.cost(c.lower), c.by)
	}
	if own.curved != "" {
		for _, s := range [2]*tried{&stated, &own} {
			if off := relative(s.free, own.parts); !ok && s.parts != nil && s.wrong == "" {
				ok = off <= localTol && s.slackness <= betterTol*c.scale
				by = fmt.Sprintf("first-order conditions hold to %.3g, relative; "+
					"they bound no other point, as %s is not convex", off, own.curved)
			}
		}
	}
	if own.slope != nil && (!ok || own.curved != "") {
		if v, better := c.step(own.slope, own.curved == ""); better {
			c.add("status", Refused,
				"a feasible point near the result's has the objective %.17g, which is better than %.17g", v, c.worse())
			return
		}
		by += "; no better point was found near it"
	}
	c.add("status", verdict(ok, Incomplete), "%s", by)
}

// remarks: the multipliers of a row whose tolerance decides the objective say so, and a row that is
// named as the reason why there are none is one of the problem.
func (c *checking) remarks(m *multipliers) {
	change := 0.0 // by the multipliers, where a row is as named
	row := func(name json.RawMessage) (known bool) {
		var text string
		if json.Unmarshal(name, &text) != nil {
			return false
		}
		family, _, _ := strings.Cut(text, "[")
		for i := range c.rows {
			if r := &c.rows[i]; r.from.family == family {
				known = true
				if m != nil {
					y := m.rows[i]
					change = max(change, math.Abs(y)*c.tol*r.unit(c.exact, r.sides.EndOf(y)))
				}
			}
		}
		return known
	}
	if o := c.r.loose; o != nil {
		var v *float64
		stated := json.Unmarshal(o["objective"], &v) == nil && v != nil && *v > 0
		ok, otherwise := stated && len(o) == 2 && row(o["row"]), Refused
		if ok {
			ok, otherwise = *v <= 2*change && *v >= leastUnit*change/2, Incomplete // terms may cancel up to rounding
		}
		c.add("tolerance_decides", verdict(ok, otherwise), "the row changes the objective by about %.3g", change)
	}
	switch o := c.r.absent; {
	case len(o) > 1 || len(o) == 1 && !row(o["constraint"]):
		c.add("no_multipliers", Refused, "the problem has no such row")
	case o != nil && len(o) == 0 && !c.kinked():
		c.add("no_multipliers", Refused, "a kink is said to be the reason, and no function has any")
	}
}

// kinked reports whether a function of the problem may have a kink, or an end of its domain.
func (p *Problem) kinked() bool {
	seen := map[*expr]bool{}
	var look func(e *expr) bool
	look = func(e *expr) bool {
		if seen[e] {
			return false
		}
		seen[e] = true
		switch e.op {
		case opConst, opVar, opSum, opMul, opLSE, opMatFrac, opComplex:
		case opPower:
			if e.num < 0 || e.num != math.Trunc(e.num) {
				return true
			}
		case opCurve:
			c := safe.Function{Kind: safe.Kind(e.k), P: e.num}
			if c.Kind == safe.Abs || c.Kind == safe.PosPower || c.Domain() != safe.Whole() {
				return true
			}
		default:
			return true
		}
		return slices.ContainsFunc(e.args, look)
	}
	return look(p.objective) || slices.ContainsFunc(p.rows, func(r row) bool { return look(r.e) })
}

// enough: a bound is that of the point, beside the size of the objective.
func (c *checking) enough(lower float64) bool {
	value := c.cost(c.worse())
	return !math.IsInf(value, 0) && value-lower <= convexTol*max(c.unit, math.Abs(value))
}

// duals tests the multipliers of rows and bounds by first-order conditions at the point, with any
// subgradients. Slopes are relative to their parts by multipliers that verify has found, plus the
// changes of slopes if variables change by their sizes. Multipliers are false if the conditions
// fail at all points nearby.
func (c *checking) duals(m *multipliers, own *minorant, err error) {
	var s minorant
	worst := Refused
	if c.r.Status != "converged" { // they are of a point on the way
		worst = Incomplete
	}
	if err == nil {
		m.held = true
		in := c.near(c.x, 1, slices.Repeat([]safe.Span{safe.Whole()}, c.n)) // beyond bounds, too
		s, err = c.lagrange(m, c.exact, in, 1, c.scale)
	}
	switch {
	case err != nil:
		c.add("duals", Incomplete, "%v", err)
		return
	case s.wrong != "":
		c.add("duals", worst, "the multiplier of %s has the wrong sign", s.wrong)
		return
	case own.parts == nil:
		own = &s
	}
	parts := slices.Clone(own.parts)
	for j, d := range own.second {
		parts[j] += max(0, d) * max(1, math.Abs(c.x[j]))
	}
	off, v := relative(s.free, parts), Incomplete
	switch {
	case off <= localTol && s.slackness <= betterTol*c.scale:
		v = Accepted
	case s.slackness > max(wrongTol*c.scale, wrongSign*m.size()) || c.contradicted(m, parts):
		v = worst
	}
	c.add("duals", v, "slope of the Lagrangian at most %.3g, relative; products with slacks at most %.3g",
		off, s.slackness)
}

// contradicted reports whether interval arithmetic shows that the Lagrangian has a slope at all
// points nearby that no domain may hold.
func (c *checking) contradicted(m *multipliers, parts []float64) bool {
	box := c.near(c.x, localTol, c.box)
	e, _ := c.combined(m, 1)
	f := newFlat(c.n, box)
	l, err := f.try(e)
	slopes, held := f.slopes(&l), c.edges()
	for j, s := range slopes[:c.n] {
		if held[j] {
			continue
		}
		if s = s.Plus(safe.Just(m.bounds[j])); !m.stated[j] {
			s = c.away(slopes[j], c.x[j], j)
		}
		d := max(wrongTol*parts[j], betterTol*c.scale/max(1, math.Abs(c.x[j])), wrongSign*m.size())
		if err == nil && !(s.Lo <= d && s.Hi >= -d) {
			return true
		}
	}
	return false
}

// edges marks the variables of arguments at the ends of domains, whose multipliers are not stated.
func (c *checking) edges() []bool {
	held, seen, marked := make([]bool, c.n), map[*expr]bool{}, map[*expr]bool{}
	var mark, look func(e *expr)
	mark = func(e *expr) {
		if e.op == opVar {
			held[e.k] = true
		}
		if marked[e] {
			return
		}
		marked[e] = true
		for _, a := range e.args {
			mark(a)
		}
	}
	look = func(e *expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		d, from := safe.Whole(), 0
		switch e.op {
		case opPower:
			if e.num < 0 || e.num != math.Trunc(e.num) {
				d = safe.Positive
			}
		case opCurve:
			d = safe.Function{Kind: safe.Kind(e.k), P: e.num}.Domain()
		case opGeo, opKL:
			d = safe.Positive
		case opQuadOver:
			d, from = safe.Positive, len(e.args)-1
		}
		for k, a := range e.args {
			look(a)
			v, outside, err := enclose(a, c.exact)
			if k < from || outside != "" || err != nil {
				continue
			}
			if at := v.Span().Mid(); at-d.Lo <= near || d.Hi-at <= near {
				mark(a)
			}
		}
	}
	look(c.Problem.objective)
	for i := range c.rows {
		look(c.rows[i].e)
	}
	return held
}

// combined is cost·objective + Σ multiplier·row, and the same sum of the sides of rows.
func (p *Problem) combined(m *multipliers, cost float64) (e *expr, side safe.Span) {
	es, ws := []*expr{p.objective}, []float64{p.cost(cost)}
	for i, y := range m.rows {
		r := &p.rows[i]
		if end := r.sides.EndOf(y); y != 0 && !math.IsInf(end, 0) {
			es, ws = append(es, r.e), append(ws, y)
			side = side.Plus(safe.Just(y).Times(safe.Just(end)))
		}
	}
	return sumOf(es, ws), side
}

// try says what multipliers show of other points. err says why there are none.
func (c *checking) try(m *multipliers, err error, whose string) (t tried) {
	t.bound = math.Inf(-1)
	if err == nil {
		t.minorant, err = c.descend(m, c.exact, c.region(), 1, c.scale, c.enough)
	}
	switch {
	case err != nil:
		t.text = err.Error()
	case t.wrong != "":
		t.text = "the multiplier of " + t.wrong + " has the wrong sign"
	case t.curved != "":
	case math.IsInf(t.lower, -1): // a variable has no bounds
		best, _ := c.descend(m, c.exact, c.near(c.x, nearby, c.region()), 1, c.scale, c.enough)
		t.text = fmt.Sprintf("no feasible point within %g times max(1, abs(x)) of the result's "+
			"has an objective better than %.17g, by %s",
			float64(nearby), c.cost(best.lower), whose)
	default:
		t.bound = min(t.lower, c.cost(c.worse())) // worse points are elsewhere
		c.show(t.bound, whose)
		t.text = fmt.Sprintf("no feasible point has an objective better than %.17g, by %s", c.cost(t.lower), whose)
	}
	return t
}

// near is the part of a box within so many sizes of the variables around a point.
func (p *Problem) near(x []float64, sizes float64, box []safe.Span) []safe.Span {
	near := make([]safe.Span, p.n)
	for j := range near {
		r := sizes * max(1, math.Abs(x[j]))
		near[j] = safe.Span{Lo: x[j] - r, Hi: x[j] + r}.Meet(box[j])
	}
	return near
}

// region is where better points lie.
func (c *checking) region() []safe.Span {
	if c.in == nil {
		c.in = c.reach(c.cost(c.worse()))
		for j, b := range c.in { // the point's own tangents are to hold there
			c.in[j] = safe.Span{Lo: min(b.Lo, c.x[j]), Hi: max(b.Hi, c.x[j])}
		}
	}
	return c.in
}

// step looks along a direction of descent for a point that breaks no row by more than the result's,
// and is clearly better, by more than rounding errors, too.
func (c *checking) step(slope []float64, convex bool) (objective float64, ok bool) {
	tol, value := betterTol, c.cost(c.worse())
	if convex {
		tol = convexTol
	}
	least := tol*max(c.unit, math.Abs(value)) + c.noise
	far := 0.0
	for j, s := range slope {
		far = max(far, math.Abs(s)/max(1, math.Abs(c.x[j])))
	}
	for t := 1 / far; t > 1e-9/far && !math.IsInf(t, 1); t /= 4 {
		y := slices.Clone(c.x)
		for j, s := range slope {
			y[j] = c.box[j].Clip(y[j] - t*s)
		}
		pt, err := c.Evaluate(y)
		if err != nil || pt.Outside != "" || pt.Violation > c.least {
			continue
		}
		objective = pt.Hi
		if c.Maximize {
			objective = pt.Lo
		}
		if c.cost(objective) < value-least {
			return objective, true
		}
	}
	return 0, false
}

// betterTol is the gain, relative to the objective, from which on a point next to one that counts
// as converged is better. Source: a hundred times convexTol, as descents may become slow before
// they are at a local minimum.
const betterTol = 1e-3
