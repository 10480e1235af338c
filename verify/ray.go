package verify

import "math"

// along is a function on the far part of a ray: its values and slopes by the length of the ray, and the size of the parts
// of the slopes.
type along struct {
	value, slope span
	size         float64
}

// ray is x + t·d for t in far.
type ray struct {
	x, d []float64
	far  span
	memo map[*expr]along
}

// of encloses an expression on the ray. A function whose slopes are not known here has all of them.
func (r *ray) of(e *expr) along {
	switch e.op {
	case opConst:
		return along{value: just(e.num)}
	case opVar:
		d := just(r.d[e.k])
		return along{just(r.x[e.k]).plus(d.times(r.far)), d, math.Abs(r.d[e.k])}
	}
	if a, ok := r.memo[e]; ok {
		return a
	}
	args := make([]along, len(e.args))
	sum := 0.0
	for k, a := range e.args {
		args[k] = r.of(a)
		sum += args[k].size
	}
	out := along{whole(), whole(), math.Inf(1)}
	switch e.op {
	case opSum:
		out = along{}
		for k, a := range args {
			w := just(e.weights[k])
			out = along{out.value.plus(w.times(a.value)), out.slope.plus(w.times(a.slope)), out.size + math.Abs(e.weights[k])*a.size}
		}
	case opMul:
		a, b := args[0], args[1]
		out.value, out.slope = a.value.times(b.value), a.slope.times(b.value).plus(b.slope.times(a.value))
		out.size = a.slope.times(b.value).magnitude().hi + b.slope.times(a.value).magnitude().hi
	case opMax:
		least := math.Inf(-1)
		for _, a := range args {
			least = max(least, a.value.lo)
		}
		out = along{span{math.Inf(-1), math.Inf(-1)}, span{math.Inf(1), math.Inf(-1)}, sum}
		for _, a := range args {
			out.value = span{max(out.value.lo, a.value.lo), max(out.value.hi, a.value.hi)}
			if a.value.hi >= least { // it may be the largest
				out.slope = span{min(out.slope.lo, a.slope.lo), max(out.slope.hi, a.slope.hi)}
			}
		}
	case opNorm:
		out = along{span{0, math.Inf(1)}, span{-sum, sum}, sum}
	case opPower, opAbs, opExp, opLog, opEntropy, opLogistic, opXExp, opHuber:
		c, least, odd := columnOf(e)
		a := args[0]
		if odd {
			a.value = a.value.magnitude()
		}
		if a.value.lo > least || a.value.lo == least && c.derivative(least).finite() || math.IsInf(least, -1) { // else it may leave the domain
			slopes := c.derivatives(a.value)
			out = along{c.image(a.value), slopes.times(a.slope), slopes.magnitude().hi * a.size}
			if odd {
				out.value = whole()
			}
		}
	}
	if math.IsNaN(out.slope.lo) || math.IsNaN(out.slope.hi) || math.IsNaN(out.value.lo) || math.IsNaN(out.value.hi) {
		out = along{whole(), whole(), math.Inf(1)}
	}
	r.memo[e] = out
	return out
}

// level is the share of its parts up to which a slope along a ray counts as zero: rays are solutions of linear programs
// in float64 arithmetic. Source: the tolerance of such rays in qpbackend, with two digits less.
const level = 1e-10

// none is the size of slopes that count as zero.
func (a *along) none() float64 {
	if math.IsInf(a.size, 1) { // it is not known
		return 0
	}
	return level * a.size
}

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
		if d[j] > 0 && !math.IsInf(c.hi[j], 1) || d[j] < 0 && !math.IsInf(c.lo[j], -1) {
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
	r := &ray{y, d, span{0, math.Inf(1)}, map[*expr]along{}}
	for i := range c.rows {
		row := &c.rows[i]
		a := r.of(row.e)
		up, down := !math.IsInf(row.hi, 1), !math.IsInf(row.lo, -1)
		if up && a.slope.lo > a.none() || down && a.slope.hi < -a.none() {
			return Refused, "the ray leaves the constraint " + row.name
		}
		if up && !(a.slope.hi <= a.none()) || down && !(a.slope.lo >= -a.none()) {
			return Incomplete, "that the ray stays within the constraint " + row.name + " is not shown"
		}
	}
	a := r.of(c.Problem.objective)
	if c.Maximize {
		a.slope = a.slope.minus()
	}
	switch {
	case a.slope.lo >= 0:
		return Refused, "the objective does not fall along the ray"
	case !(a.slope.hi < -a.none()):
		return Incomplete, "that the objective falls for ever along the ray is not shown"
	}
	return Accepted, "along the ray the objective falls for ever, and the constraints hold"
}
