package expr

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// splitBy is a split of ±f(e) by bounds of the second derivative of f; ok is false where these do
// not give one.
func (c *CurveAtom) splitBy(sign float64) (s Split, ok bool) {
	if c.open || c.E().WithTangents() || c.E().IsAffineNow() { // these by bounded
		return Split{}, false
	}
	f := c.F
	if sign < 0 {
		f = f.Neg()
	}
	return f.boundedSplit(c.E())
}

// boundedSplit is f(e) for an e with a split g − h: with ρ ≥ f″ and F(u) = ½ρu² − f(u), whose
// slopes lie in [−a, b], it is ½ρe² + a·g + b·h − (F(g − h) + a·g + b·h); see lifted.
func (f Curve) boundedSplit(e *Scalar) (Split, bool) {
	s, r := e.Split(), f.in(e.Over())
	over := f.Neg()
	over.Bend = max(f.Bends(r).Hi, 0)
	if !num.Finite(over.Bend) || over.Bend >= steepSlope {
		return Split{}, false
	}
	if s.IsAffine() {
		rest := Split{H: []Term{{1, NewCurveAtom(over, s.expr(), nil)}}}
		return AddSplits([]Split{Squares(s.Lin.Number()), rest}, over.Bend/2, 1), true
	}
	rest, err := liftedSplit(over, s, r)
	if err != nil {
		return Split{}, false
	}
	parts, weights := []Split{rest}, []float64{-1}
	if over.Bend > 0 {
		square, err := SquareSplit(s)
		if err != nil {
			return Split{}, false
		}
		parts, weights = append(parts, square), append(weights, over.Bend/2)
	}
	return AddSplits(parts, weights...), true
}

// Curve is a function of one number: bend/2·u² plus a row of the table of functions, or minus it.
type Curve struct {
	Row      *atom.Curve
	P        float64 // the parameter of the row
	Negative bool
	Bend     float64
	ends     interval.Interval // the domain: all arguments with a value
}

// RowOf is the function of a name.
func RowOf(name string) Curve { return PowerCurve(name, 0) }

// PowerCurve is uᵖ, or another function with the exponent p.
func PowerCurve(name string, p float64) Curve { return CurveOf(atom.Find(name), p) }

// CurveOf is a row with a parameter.
func CurveOf(row *atom.Curve, p float64) Curve {
	return Curve{Row: row, P: p, ends: row.In(interval.Whole, p)}
}

// Neg is −f.
func (f Curve) Neg() Curve { f.Negative = !f.Negative; return f }

// Is reports whether f is a row with this name, not minus it.
func (f Curve) Is(name string) bool { return f.Row != nil && f.Row.Name == name && !f.Negative }

// Signed is a value of the row as one of f.
func (f Curve) Signed(v float64) float64 {
	if f.Negative {
		return -v
	}
	return v
}

// least is the left end of the domain, −Inf for none.
func (f Curve) least() float64 { return f.ends.Lo }

// Total reports whether all numbers are in the domain.
func (f Curve) Total() bool { return f.ends == interval.Whole }

// value is +Inf outside the domain; see domainTol.
func (f *Curve) value(u float64) float64 {
	if u < f.ends.Lo || u > f.ends.Hi {
		if u < f.ends.Lo-domainTol || u > f.ends.Hi+domainTol {
			return math.Inf(1)
		}
		u = min(max(u, f.ends.Lo), f.ends.Hi)
	}
	v := f.Signed(f.Row.Value.At(u, f.P))
	if v != v && u == u && !f.Total() {
		return math.Inf(1)
	}
	if f.Bend != 0 {
		v += f.Bend / 2 * u * u
	}
	return v
}

func (f *Curve) slope(u float64) float64 {
	if u < f.ends.Lo+Steepest || u > f.ends.Hi {
		u = min(max(u, f.ends.Lo), f.ends.Hi)
		if u < f.ends.Lo+Steepest && math.IsInf(f.Row.Slope.At(f.ends.Lo, f.P), 0) {
			u = f.ends.Lo + Steepest
		}
	}
	v := f.Signed(f.Row.Slope.At(u, f.P))
	if f.Bend != 0 {
		v += f.Bend * u
	}
	return v
}

// inside reports whether the curve has a tangent at u.
func (f Curve) inside(u float64) bool {
	if !(u >= f.ends.Lo && u <= f.ends.Hi) {
		return f.Total()
	}
	return u > f.ends.Lo+Steepest || f.Total() || !math.IsInf(f.Row.Slope.At(f.ends.Lo, f.P), 0)
}

// direction is +1 for nondecreasing, −1 for nonincreasing, 0 for neither.
func (f Curve) direction() int {
	d := f.Row.Direction(interval.Whole, f.P)
	switch {
	case f.Bend != 0:
		return 0
	case f.Negative:
		return -d
	}
	return d
}

// solve is the u with value b, if the curve is ≤ b exactly on one side of
// it: below if it is nondecreasing, above if nonincreasing.
func (f Curve) solve(b float64) (u float64, ok bool) {
	if f.Row.Inverse == nil || f.Bend != 0 || f.direction() == 0 {
		return 0, false
	}
	u = f.Row.Inverse(f.Signed(b), f.P)
	return u, !math.IsNaN(u)
}

// in is the part of i within the domain.
func (f Curve) in(i interval.Interval) interval.Interval { return interval.Clip(i, f.ends) }

// Over is the range of f for arguments in i.
func (f Curve) Over(i interval.Interval) interval.Interval {
	i = f.in(i)
	out := f.Row.Value.Over(i, f.P)
	if f.Negative {
		out = out.Neg()
	}
	if f.Bend != 0 {
		out = out.Add(i.Square().Scale(f.Bend / 2))
	}
	return out
}

// Bends is the range of the second derivative for arguments in i.
func (f Curve) Bends(i interval.Interval) interval.Interval {
	out := f.Row.Second.Over(f.in(i), f.P)
	if f.Negative {
		out = out.Neg()
	}
	return out.Add(interval.Point(f.Bend))
}

// slopes is the range of the slope for arguments in i.
func (f Curve) slopes(i interval.Interval) interval.Interval {
	i = f.in(i)
	out := f.Row.Slope.Over(i, f.P)
	if f.Negative {
		out = out.Neg()
	}
	if f.Bend != 0 {
		out = out.Add(i.Scale(f.Bend))
	}
	return out
}

// Approx is f(a): the range over all arguments that a stands for.
func (f Curve) Approx(a convex.Approx) convex.Approx {
	v := f.value(a.V)
	if !num.Finite(v) {
		return convex.Approx{V: v, E: 0}
	}
	i := f.Over(interval.New(a.Lo(), a.Hi()))
	return convex.Approx{V: v, E: max(i.Hi-v, v-i.Lo)}
}

// String is the name of the function in messages.
func (f Curve) String() string {
	name := f.Row.Name
	switch {
	case name == "power" && f.P == 0.5:
		name = "sqrt"
	case name == "power" && f.P == -1:
		name = "invpos"
	case name == "pos_power":
		name = "power"
	}
	if f.Negative {
		name = "-" + name
	}
	return name
}

// data are the numbers that belong to the atom.
func (f Curve) data() []float64 {
	if f.Row.Exponent != nil && f.Row.HasParameter {
		return []float64{f.P}
	}
	return nil
}

// Represented reports whether f is convex and has cones.
func (f Curve) Represented() bool { return f.Bend == 0 && f.Row.HasBound(f.P, f.Negative) }

// Represent adds the rows and cones of a bound t ≥ f(u), and returns it.
func (f Curve) Represent(c convex.Canon, u convex.Linear) convex.Form {
	if f.Negative {
		return f.Row.MinusBound(c, u, f.P)
	}
	return f.Row.Bound(c, u, f.P)
}

const (
	domainTol = atom.DomainTol
	Steepest  = atom.Steepest
)

// hint says more about the bounds that a function needs.
func (f Curve) hint() string {
	if f.Row.Name == "tan" {
		return " that keep it between two poles, as -1.5 and 1.5 do"
	}
	return ""
}

// bendsAt are the bends of f(e), if the bends of e are known.
func (f Curve) bendsAt(e convex.Bends, ok bool) (convex.Bends, bool) { return f.Of(e), ok }

// Of are the bends of f(e) for an e with these bends.
func (f Curve) Of(e convex.Bends) convex.Bends {
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
		return RowOf("square").Of(of[f.Entry])
	}
	if e := of[f.Entry]; f.Power == -1 && e.Over.Hi < 0 {
		return PowerCurve("power", -1).Of(e.Neg()).Neg()
	}
	return PowerCurve("power", f.Power).Of(of[f.Entry])
}
