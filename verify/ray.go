package verify

import "math"

// ray is x + t·d for t ≥ 0.
type ray struct{ x, d []float64 }

// level is the share of its parts up to which a slope along a ray counts as zero: rays are
// solutions of linear programs in float64 arithmetic. Source: the tolerance of such rays in
// qpbackend, with two digits less.
const level = 1e-10

// unbounded shows that the objective falls for ever along the ray, and that no row is broken there. A ray has no scale.
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
		if d[j] > 0 && !math.IsInf(c.box[j].hi, 1) || d[j] < 0 && !math.IsInf(c.box[j].lo, -1) {
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
	f := newFlat(1, []span{{0, math.Inf(1)}})
	f.along = &ray{y, d}
	slope := func(e *expr) span {
		l, err := f.try(e)
		if s := f.slopes(&l)[0]; err == nil && s.lo <= s.hi {
			return s
		}
		return whole()
	}
	for i := range c.rows {
		row := &c.rows[i]
		if row.sides == whole() {
			continue
		}
		s := slope(row.e)
		up, down := !math.IsInf(row.sides.hi, 1), !math.IsInf(row.sides.lo, -1)
		if up && s.lo > 0 || down && s.hi < 0 {
			return Refused, "the ray leaves the constraint " + row.name
		}
		if up && s.hi > 0 || down && s.lo < 0 {
			return Incomplete, "that the ray stays within the constraint " + row.name + " is not shown"
		}
	}
	s := slope(c.Problem.objective)
	if c.Maximize {
		s = s.minus()
	}
	for _, r := range f.rows { // domains
		if !(f.slopes(&r.lin)[0].lo >= 0) {
			return Incomplete, "that the ray stays within the domains of all functions is not shown"
		}
	}
	switch {
	case s.lo >= 0:
		return Refused, "the objective does not fall along the ray"
	case s.hi >= 0:
		return Incomplete, "that the objective falls for ever along the ray is not shown"
	}
	return Accepted, "along the ray the objective falls for ever, and the constraints hold"
}
