package verify

import (
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/verify/internal/safe"
)

// infeasible: multipliers, a proof or interval arithmetic show that no point is feasible.
func (c *checking) infeasible(proof *Proved) {
	why, ok := c.farkas()
	switch {
	case ok:
	case proof != nil:
		ok, why = math.IsInf(c.lower, 1), "the proof does not show that no point is feasible"
		if ok {
			why = c.by + " shows that no point is feasible"
		}
	default:
		ok, why = c.empty(c.box)
	}
	c.add("status", verdict(ok, Incomplete), "%s", why)
}

// empty reports whether interval arithmetic shows that no point of a box is feasible.
func (p *Problem) empty(box []safe.Span) (ok bool, why string) {
	const none = "no point is feasible: interval arithmetic leaves nothing of the bounds"
	if slices.ContainsFunc(p.rows, func(r row) bool { return r.e.isConst() && !r.sides.Has(r.e.num) }) {
		return true, none
	}
	f, err := flatten(&Problem{objective: number(0), rows: p.rows, n: p.n}, box)
	if err != nil {
		return false, err.Error()
	}
	for i := range f.rows { // rows on the same function share a column
		r := &f.rows[i]
		j, err := f.column(r.lin)
		f.box[j] = f.box[j].Meet(r.sides.Less(err))
	}
	if slices.ContainsFunc(f.box, safe.Span.Empty) || !f.narrow(slices.Clone(f.box), math.Inf(1), 1000, progress) {
		return true, none
	}
	return false, "that no point is feasible is not shown: interval arithmetic leaves a part of the bounds; " +
		"solve --global --proof writes a proof where one is found"
}

// farkas shows by multipliers that no point is feasible: their combination of the constraints is
// positive over the whole region.
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
	sum, _ := c.descend(m, newValues(start, false), in, 0, 1, func(lower float64) bool { return lower > 0 })
	if ok = sum.wrong == "" && sum.lower > 0; !ok { // the sum as one row
		e, side := c.combined(m, 0)
		sides := safe.Span{Lo: math.Inf(-1), Hi: side.Hi}
		one := &Problem{objective: number(0), n: c.n, rows: []row{{e: e, sides: sides}}}
		ok, _ = one.empty(in)
	}
	why = "the sum of the constraints, times their multipliers, is positive within the bounds"
	if !ok {
		why = fmt.Sprintf("the sum of the constraints, times their multipliers, is at least %.3g", sum.lower)
	}
	c.add("duals", verdict(ok, Incomplete), "%s", why)
	return "no point is feasible: " + why, ok
}

// ray is x + t·d for t ≥ 0.
type ray struct{ x, d []float64 }

// level is the share of its parts up to which a slope along a ray counts as zero: rays are
// solutions of linear programs in float64 arithmetic. Source: the tolerance of such rays in
// qpbackend, with two digits less.
const level = 1e-10

// unbounded shows that the objective falls for ever along the ray, and that no row is broken there.
// A ray has no scale.
func (c *checking) unbounded() {
	x, err := c.point(c.r.variables)
	if err != nil {
		c.add("status", Incomplete, "the result has no point to begin at: %v", err)
		return
	}
	if c.r.ray == nil {
		c.add("status", Incomplete, "the result has no ray along which the objective falls")
		return
	}
	d, err := c.point(c.r.ray)
	if err != nil {
		c.add("ray", Refused, "%v", err)
		return
	}
	far, size := 0.0, 1.0
	for j := range d {
		far, size = max(far, math.Abs(d[j])), max(size, math.Abs(x[j]))
	}
	if far == 0 {
		c.add("ray", Refused, "the ray is zero")
		return
	}
	for j := range d {
		d[j] /= far
		if d[j] > 0 && !math.IsInf(c.box[j].Hi, 1) || d[j] < 0 && !math.IsInf(c.box[j].Lo, -1) {
			if math.Abs(d[j]) > level {
				c.add("status", Refused, "the ray leaves the bounds of a variable")
				return
			}
			d[j] = 0
		}
	}
	found, why := Incomplete, ""
	for _, t := range []float64{0, size, 1e3 * size, 1e6 * size} {
		if found, why = c.falls(x, d, t); found != Incomplete {
			break
		}
	}
	c.add("status", found, "%s", why)
}

// falls looks at the ray from t on.
func (c *checking) falls(x, d []float64, t float64) (v Verdict, why string) {
	y := make([]float64, len(x))
	for j := range y {
		y[j] = x[j] + t*d[j]
	}
	if pt, err := c.Evaluate(y); err != nil {
		return Incomplete, err.Error()
	} else if pt.Outside != "" || !(pt.excess <= c.tol) {
		return Incomplete, "the ray begins outside the constraints" + where(pt.Worst)
	}
	f := newFlat(1, []safe.Span{{Lo: 0, Hi: math.Inf(1)}})
	f.along = &ray{y, d}
	slope := func(e *expr) safe.Span {
		l, err := f.try(e)
		if s := f.slopes(&l)[0]; err == nil && s.Lo <= s.Hi {
			return s
		}
		return safe.Whole()
	}
	for i := range c.rows {
		row := &c.rows[i]
		if row.sides == safe.Whole() {
			continue
		}
		s := slope(row.e)
		up, down := !math.IsInf(row.sides.Hi, 1), !math.IsInf(row.sides.Lo, -1)
		if up && s.Lo > 0 || down && s.Hi < 0 {
			return Refused, "the ray leaves the constraint " + row.name
		}
		if up && s.Hi > 0 || down && s.Lo < 0 {
			return Incomplete, "that the ray stays within the constraint " + row.name + " is not shown"
		}
	}
	s := slope(c.Problem.objective)
	if c.Maximize {
		s = s.Minus()
	}
	for _, r := range f.rows { // domains
		if !(f.slopes(&r.lin)[0].Lo >= 0) {
			return Incomplete, "that the ray stays within the domains of all functions is not shown"
		}
	}
	switch {
	case s.Lo >= 0:
		return Refused, "the objective does not fall along the ray"
	case s.Hi >= 0:
		return Incomplete, "that the objective falls for ever along the ray is not shown"
	}
	return Accepted, "along the ray the objective falls for ever, and the constraints hold"
}
