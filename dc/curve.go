package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// curve is a function of one number: bend/2·u² plus a row of the table of functions, or minus it.
type curve struct {
	row      *atom.Curve
	p        float64 // the parameter of the row
	negative bool
	bend     float64
	ends     Interval // the domain: all arguments with a value
}

// rowOf is the function of a name.
func rowOf(name string) curve { return powerCurve(name, 0) }

// powerCurve is uᵖ, or another function with the exponent p.
func powerCurve(name string, p float64) curve { return curveOf(atom.Find(name), p) }

func curveOf(row *atom.Curve, p float64) curve {
	return curve{row: row, p: p, ends: row.In(interval.Whole, p)}
}

func (f curve) neg() curve { f.negative = !f.negative; return f }

// is reports whether f is a row with this name, not minus it.
func (f curve) is(name string) bool { return f.row != nil && f.row.Name == name && !f.negative }

func (f curve) signed(v float64) float64 {
	if f.negative {
		return -v
	}
	return v
}

// least is the left end of the domain, −Inf for none.
func (f curve) least() float64 { return f.ends.Lo }

// total reports whether all numbers are in the domain.
func (f curve) total() bool { return f.ends == interval.Whole }

// value is +Inf outside the domain; see domainTol.
func (f *curve) value(u float64) float64 {
	if u < f.ends.Lo || u > f.ends.Hi {
		if u < f.ends.Lo-domainTol || u > f.ends.Hi+domainTol {
			return math.Inf(1)
		}
		u = min(max(u, f.ends.Lo), f.ends.Hi)
	}
	v := f.signed(f.row.Value.At(u, f.p))
	if v != v && u == u && !f.total() {
		return math.Inf(1)
	}
	if f.bend != 0 {
		v += f.bend / 2 * u * u
	}
	return v
}

func (f *curve) slope(u float64) float64 {
	if u < f.ends.Lo+steepest || u > f.ends.Hi {
		u = min(max(u, f.ends.Lo), f.ends.Hi)
		if u < f.ends.Lo+steepest && math.IsInf(f.row.Slope.At(f.ends.Lo, f.p), 0) {
			u = f.ends.Lo + steepest
		}
	}
	v := f.signed(f.row.Slope.At(u, f.p))
	if f.bend != 0 {
		v += f.bend * u
	}
	return v
}

// inside reports whether the curve has a tangent at u.
func (f curve) inside(u float64) bool {
	if !(u >= f.ends.Lo && u <= f.ends.Hi) {
		return f.total()
	}
	return u > f.ends.Lo+steepest || f.total() || !math.IsInf(f.row.Slope.At(f.ends.Lo, f.p), 0)
}

// direction is +1 for nondecreasing, −1 for nonincreasing, 0 for neither.
func (f curve) direction() int {
	d := f.row.Direction(interval.Whole, f.p)
	switch {
	case f.bend != 0:
		return 0
	case f.negative:
		return -d
	}
	return d
}

// solve is the u with value b, if the curve is ≤ b exactly on one side of
// it: below if it is nondecreasing, above if nonincreasing.
func (f curve) solve(b float64) (u float64, ok bool) {
	if f.row.Inverse == nil || f.bend != 0 || f.direction() == 0 {
		return 0, false
	}
	u = f.row.Inverse(f.signed(b), f.p)
	return u, !math.IsNaN(u)
}

// in is the part of i within the domain.
func (f curve) in(i Interval) Interval { return interval.Clip(i, f.ends) }

// over is the range of f for arguments in i.
func (f curve) over(i Interval) Interval {
	i = f.in(i)
	out := f.row.Value.Over(i, f.p)
	if f.negative {
		out = out.Neg()
	}
	if f.bend != 0 {
		out = out.Add(i.Square().Scale(f.bend / 2))
	}
	return out
}

// bends is the range of the second derivative for arguments in i.
func (f curve) bends(i Interval) Interval {
	out := f.row.Second.Over(f.in(i), f.p)
	if f.negative {
		out = out.Neg()
	}
	return out.Add(point(f.bend))
}

// slopes is the range of the slope for arguments in i.
func (f curve) slopes(i Interval) Interval {
	i = f.in(i)
	out := f.row.Slope.Over(i, f.p)
	if f.negative {
		out = out.Neg()
	}
	if f.bend != 0 {
		out = out.Add(i.Scale(f.bend))
	}
	return out
}

// approx is f(a): the range over all arguments that a stands for.
func (f curve) approx(a approx) approx {
	v := f.value(a.v)
	if !finite(v) {
		return approx{v, 0}
	}
	i := f.over(interval.New(a.lo(), a.hi()))
	return approx{v, max(i.Hi-v, v-i.Lo)}
}

// String is the name of the function in messages.
func (f curve) String() string {
	name := f.row.Name
	switch {
	case name == "power" && f.p == 0.5:
		name = "sqrt"
	case name == "power" && f.p == -1:
		name = "invpos"
	case name == "pos_power":
		name = "power"
	}
	if f.negative {
		name = "-" + name
	}
	return name
}

// data are the numbers that belong to the atom.
func (f curve) data() []float64 {
	if f.row.Exponent != nil && f.row.HasParameter {
		return []float64{f.p}
	}
	return nil
}

// represented reports whether f is convex and has cones.
func (f curve) represented() bool { return f.bend == 0 && f.row.HasBound(f.p, f.negative) }

// represent adds the rows and cones of a bound t ≥ f(u), and returns it.
func (f curve) represent(c Canon, u Linear) Form {
	to, bound := canon{c, []Linear{u}}, f.row.Bound
	if f.negative {
		bound = f.row.MinusBound
	}
	return to.form(bound(&to, atom.Argument(0), f.p))
}

const (
	domainTol = atom.DomainTol
	steepest  = atom.Steepest
)

// hint says more about the bounds that a function needs.
func (f curve) hint() string {
	if f.row.Name == "tan" {
		return " that keep it between two poles, as -1.5 and 1.5 do"
	}
	return ""
}

// along are the bends of f(e), if the bends of e are known.
func (f curve) along(e bends, ok bool) (bends, bool) { return f.of(e), ok }

func (f curve) of(e bends) bends {
	s, d := f.bends(e.over), f.slopes(e.over)
	up, down := max(d.Hi, 0), max(-d.Lo, 0)
	most := max(up, down)
	return bends{
		over:  f.over(e.over),
		slope: plus(nil, most*most, e.slope),
		up:    plus(plus(plus(nil, max(s.Hi, 0), e.slope), up, e.up), down, e.down),
		down:  plus(plus(plus(nil, max(-s.Lo, 0), e.slope), up, e.down), down, e.up),
	}
}

// bendsOfRow bounds the second derivatives of a function of several numbers: of a sum of products
// by its factors, of a function with the bounds of a mean by these.
func bendsOfRow(row *atom.Reduce, over Interval, of []bends) (bends, bool) {
	switch {
	case row.Products != nil:
		products := row.Products(len(of))
		return bendsOfSum(len(products), func(k int) bends {
			b := bendsOfFactor(products[k][0], of)
			for _, f := range products[k][1:] {
				b = b.times(bendsOfFactor(f, of))
			}
			return b
		}), true
	case row.Mean:
		out := bends{over: over}
		for _, b := range of {
			out.slope = plus(out.slope, 1, b.slope)
			out.up, out.down = plus(plus(out.up, 1, b.slope), 1, b.up), plus(out.down, 1, b.down)
		}
		return out, true
	}
	return bends{}, false
}

func bendsOfFactor(f atom.Factor, of []bends) bends {
	switch f.Power {
	case 1:
		return of[f.Entry]
	case 2:
		return rowOf("square").of(of[f.Entry])
	}
	return powerCurve("power", f.Power).of(of[f.Entry])
}
