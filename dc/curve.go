package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// curve is a function of one number: bend/2·u² plus a row of the table of functions, or minus it.
type curve struct {
	row      *atom.Curve
	p        float64 // the parameter of the row
	negative bool
	bend     float64
	ends     interval.Interval // the domain: all arguments with a value
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
func (f curve) in(i interval.Interval) interval.Interval { return interval.Clip(i, f.ends) }

// Over is the range of f for arguments in i.
func (f curve) Over(i interval.Interval) interval.Interval {
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

// Bends is the range of the second derivative for arguments in i.
func (f curve) Bends(i interval.Interval) interval.Interval {
	out := f.row.Second.Over(f.in(i), f.p)
	if f.negative {
		out = out.Neg()
	}
	return out.Add(interval.Point(f.bend))
}

// slopes is the range of the slope for arguments in i.
func (f curve) slopes(i interval.Interval) interval.Interval {
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

// Approx is f(a): the range over all arguments that a stands for.
func (f curve) Approx(a convex.Approx) convex.Approx {
	v := f.value(a.V)
	if !num.Finite(v) {
		return convex.Approx{V: v, E: 0}
	}
	i := f.Over(interval.New(a.Lo(), a.Hi()))
	return convex.Approx{V: v, E: max(i.Hi-v, v-i.Lo)}
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
func (f curve) represent(c convex.Canon, u convex.Linear) convex.Form {
	to, bound := canon{c, []convex.Linear{u}}, f.row.Bound
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

// bendsAt are the bends of f(e), if the bends of e are known.
func (f curve) bendsAt(e convex.Bends, ok bool) (convex.Bends, bool) { return f.of(e), ok }

func (f curve) of(e convex.Bends) convex.Bends {
	s, d := f.Bends(e.Over), f.slopes(e.Over)
	up, down := max(d.Hi, 0), max(-d.Lo, 0)
	most := max(up, down)
	return convex.Bends{
		Over:  f.Over(e.Over),
		Slope: convex.Plus(nil, most*most, e.Slope),
		Up:    convex.Plus(convex.Plus(convex.Plus(nil, max(s.Hi, 0), e.Slope), up, e.Up), down, e.Down),
		Down:  convex.Plus(convex.Plus(convex.Plus(nil, max(-s.Lo, 0), e.Slope), up, e.Down), down, e.Up),
	}
}

// bendsOfRow bounds the second derivatives of a function of several numbers: of a sum of products
// by its factors, of a function with the bounds of a mean by these.
func bendsOfRow(row *atom.Reduce, over interval.Interval, of []convex.Bends) (convex.Bends, bool) {
	switch {
	case row.Products != nil:
		products := row.Products(len(of))
		return convex.BendsOfSum(len(products), func(k int) convex.Bends {
			b := bendsOfFactor(products[k][0], of)
			for _, f := range products[k][1:] {
				b = b.Times(bendsOfFactor(f, of))
			}
			return b
		}), true
	case row.Mean:
		out := convex.Bends{Over: over}
		for _, b := range of {
			out.Slope = convex.Plus(out.Slope, 1, b.Slope)
			out.Up, out.Down = convex.Plus(convex.Plus(out.Up, 1, b.Slope), 1, b.Up), convex.Plus(out.Down, 1, b.Down)
		}
		return out, true
	}
	return convex.Bends{}, false
}

func bendsOfFactor(f atom.Factor, of []convex.Bends) convex.Bends {
	switch f.Power {
	case 1:
		return of[f.Entry]
	case 2:
		return rowOf("square").of(of[f.Entry])
	}
	return powerCurve("power", f.Power).of(of[f.Entry])
}
