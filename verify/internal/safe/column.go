package safe

import (
	"math"
	"slices"
)

// Function is a function of one number, with its parameter.
type Function struct {
	Kind Kind
	P    float64
}

// Domain is where the function of one column has values.
func (c Function) Domain() Span {
	if d := Curves[c.Kind].domain; d != (Span{}) {
		return d
	}
	return Whole()
}

// Inside reports whether an interval has no end of the domain.
func (c Function) Inside(a Span) bool {
	d := c.Domain()
	return d == Whole() || a.Lo > d.Lo && (a.Hi < d.Hi || math.IsInf(d.Hi, 1))
}

func (c Function) Value(v float64) Span {
	if f := Curves[c.Kind].value; f != nil {
		return f(v, c.P)
	}
	return loose(Curves[c.Kind].Plain(v))
}

// Slope encloses the slopes, at kinks the subgradients, on an interval inside the domain.
func (c Function) Slope(a Span) Span { return Curves[c.Kind].slope(a, c.P) }

// Second encloses the second derivatives there.
func (c Function) Second(a Span) Span { return Curves[c.Kind].second(a, c.P) }

// Image is the range on an interval.
func (c Function) Image(a Span) Span {
	if a = a.Meet(c.Domain()); a.Empty() {
		return a
	}
	if f := Curves[c.Kind].image; f != nil {
		return f(a, c.P)
	}
	u, v := c.Value(a.Lo), c.Value(a.Hi)
	return Span{min(u.Lo, v.Lo), max(u.Hi, v.Hi)}
}

// Preimage is the part of a where the function can be in w: at either end, a part whose image is
// apart from w is cut off.
func (c Function) Preimage(w, a Span) Span {
	a = a.Meet(c.Domain())
	apart := func(b Span) bool {
		v := c.Image(b)
		return v.Hi < w.Lo || v.Lo > w.Hi
	}
	if a.Empty() || apart(a) {
		return Span{1, -1}
	}
	out := a
	if apart(Just(a.Lo)) {
		out.Lo = halve(a.Lo, a.Hi, func(m float64) bool { return apart(Span{a.Lo, m}) })
	}
	if apart(Just(a.Hi)) {
		out.Hi = halve(a.Hi, out.Lo, func(m float64) bool { return apart(Span{m, a.Hi}) })
	}
	return out
}

// halve finds where a property of numbers ends that good has and bad has not, by numbers in the
// middle of the float64 numbers between, to 16 of them. It returns one that has it.
func halve(good, bad float64, has func(v float64) bool) float64 {
	place := func(v float64) int64 {
		p := int64(math.Float64bits(math.Abs(v)))
		if v < 0 {
			return -p
		}
		return p
	}
	g, b := place(good), place(bad)
	for g/2-b/2 > 8 || b/2-g/2 > 8 {
		m := g/2 + b/2
		v := math.Float64frombits(uint64(max(m, -m)))
		if m < 0 {
			v = -v
		}
		if has(v) {
			g, good = m, v
		} else {
			b = m
		}
	}
	return good
}

// Gradient encloses the slopes of a function of several arguments at a point, and its value less
// the slopes times the point: 0 for functions of degree 1. A maximum has no single gradient.
func Gradient(kind int, at []float64) (s []Span, rest Span) {
	s = make([]Span, len(at))
	last := len(at) - 1
	switch kind {
	case Norm:
		size := Span{}
		for _, v := range at {
			size = size.Plus(Just(v).Times(Just(v)))
		}
		if size = (Span{loose(math.Sqrt(size.Lo)).Lo, loose(math.Sqrt(size.Hi)).Hi}); size.Lo > 0 {
			for k, v := range at {
				s[k] = Just(v).Over(size)
			}
		}
	case LogSumExp:
		top, total := Just(slices.Max(at)), Span{}
		for k, v := range at {
			s[k] = exponential(Just(v).Less(top))
			total = total.Plus(s[k])
		}
		rest = top.Plus(total.Log())
		for k, v := range at {
			s[k] = s[k].Over(total)
			rest = rest.Less(s[k].Times(Just(v)))
		}
	case SquareOver:
		for k, v := range at[:last] {
			r := Just(v).Over(Just(at[last]))
			s[k] = r.Times(Just(2))
			s[last] = s[last].Less(r.Times(r))
		}
	case Divergence:
		r := Just(at[0]).Over(Just(at[1]))
		s[0], s[1] = r.Log(), Just(1).Less(r)
	}
	return s, rest
}

// Least is at most y·f(u) − s·u for all u in a: the least bound of its parts, of which the one with
// that bound is halved as long as that pays. near may be next to the minimum.
func (c Function) Least(y, s float64, a Span, near float64) float64 {
	type part struct {
		Span
		least float64
	}
	top, room := math.Inf(1), 0x1p-40*c.Image(a).Times(Just(y)).Plus(a.Times(Just(s))).Magnitude().Hi
	bounded := func(p Span) part {
		at := func(u float64) Span { return c.Value(u).Times(Just(y)).Less(Just(s).Times(Just(u))) }
		slope := func(u float64) Span { return c.Slope(Just(u)).Times(Just(y)).Less(Just(s)) }
		u, v, second, w := at(p.Lo), at(p.Hi), c.Second(p).Times(Just(y)), Above(p.Hi, -p.Lo)
		low := min(u.Lo, v.Lo)
		if second.Lo >= 0 { // it is above the tangents at both ends
			down, up := min(slope(p.Lo).Lo, 0), max(slope(p.Hi).Hi, 0)
			low = max(Below(u.Lo, BelowProduct(down, w)), Below(v.Lo, BelowProduct(-up, w)))
		} else if second.Hi > 0 { // a chord is above it by up to second/8·w²
			low = Below(low, -AboveProduct(second.Hi/8, AboveProduct(w, w)))
			low = max(low, c.Image(p).Times(Just(y)).Less(p.Times(Just(s))).Lo)
		}
		top = min(top, u.Hi, v.Hi)
		return part{p, low}
	}
	var parts []part
	beside, from := 1e-9*max(1, math.Abs(near)), a.Lo
	for _, to := range [3]float64{a.Clip(near - beside), a.Clip(near + beside), a.Hi} {
		if to > from || to == a.Hi && parts == nil {
			parts, from = append(parts, bounded(Span{from, to})), to
		}
	}
	for {
		k := 0
		for i := range parts {
			if parts[i].least < parts[k].least {
				k = i
			}
		}
		p := parts[k]
		if mid := p.Mid(); !(p.least < top-room && p.Finite() && p.Lo < mid && mid < p.Hi && len(parts) < mostParts) {
			return p.least
		}
		parts[k] = bounded(Span{p.Lo, p.Mid()})
		parts = append(parts, bounded(Span{p.Mid(), p.Hi}))
	}
}

// mostParts bounds the parts of an interval. Source: a limit of time; a wave with a hundred periods
// has them.
const mostParts = 200

// Functions of several columns, by their numbers in a proof file.
const (
	Norm = iota
	LogSumExp
	SquareOver
	Divergence
	Largest
)
