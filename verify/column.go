package verify

import (
	"math"
	"slices"
)

// domain is where the function of one column has values.
func (c *column) domain() span {
	if d := curves[c.kind].domain; d != (span{}) {
		return d
	}
	return whole()
}

// inside reports whether an interval has no end of the domain.
func (c *column) inside(a span) bool {
	d := c.domain()
	return d == whole() || a.lo > d.lo && (a.hi < d.hi || math.IsInf(d.hi, 1))
}

func (c *column) value(v float64) span {
	if f := curves[c.kind].value; f != nil {
		return f(v, c.p)
	}
	return loose(curves[c.kind].plain(v))
}

// slope encloses the slopes, at kinks the subgradients, on an interval inside the domain.
func (c *column) slope(a span) span { return curves[c.kind].slope(a, c.p) }

// second encloses the second derivatives there.
func (c *column) second(a span) span { return curves[c.kind].second(a, c.p) }

// image is the range on an interval.
func (c *column) image(a span) span {
	if a = a.meet(c.domain()); a.empty() {
		return a
	}
	if f := curves[c.kind].image; f != nil {
		return f(a, c.p)
	}
	u, v := c.value(a.lo), c.value(a.hi)
	return span{min(u.lo, v.lo), max(u.hi, v.hi)}
}

// preimage is the part of a where the function can be in w: at either end, a part whose image is
// apart from w is cut off.
func (c *column) preimage(w, a span) span {
	a = a.meet(c.domain())
	apart := func(b span) bool {
		v := c.image(b)
		return v.hi < w.lo || v.lo > w.hi
	}
	if a.empty() || apart(a) {
		return span{1, -1}
	}
	out := a
	if apart(just(a.lo)) {
		out.lo = halve(a.lo, a.hi, func(m float64) bool { return apart(span{a.lo, m}) })
	}
	if apart(just(a.hi)) {
		out.hi = halve(a.hi, out.lo, func(m float64) bool { return apart(span{m, a.hi}) })
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

// gradient encloses the slopes of a function of several arguments at a point, and its value less
// the slopes times the point: 0 for functions of degree 1. A maximum has no single gradient.
func (u *bundle) gradient(at []float64) (s []span, rest span) {
	s = make([]span, len(at))
	last := len(at) - 1
	switch u.kind {
	case bundleNorm:
		size := span{}
		for _, v := range at {
			size = size.plus(just(v).times(just(v)))
		}
		if size = (span{loose(math.Sqrt(size.lo)).lo, loose(math.Sqrt(size.hi)).hi}); size.lo > 0 {
			for k, v := range at {
				s[k] = just(v).over(size)
			}
		}
	case bundleLogSumExp:
		top, total := just(slices.Max(at)), span{}
		for k, v := range at {
			s[k] = exponential(just(v).less(top))
			total = total.plus(s[k])
		}
		rest = top.plus(total.log())
		for k, v := range at {
			s[k] = s[k].over(total)
			rest = rest.less(s[k].times(just(v)))
		}
	case bundleSquareOver:
		for k, v := range at[:last] {
			r := just(v).over(just(at[last]))
			s[k] = r.times(just(2))
			s[last] = s[last].less(r.times(r))
		}
	case bundleDivergence:
		r := just(at[0]).over(just(at[1]))
		s[0], s[1] = r.log(), just(1).less(r)
	}
	return s, rest
}
