package verify

import (
	"math"
	"slices"
)

// domain is where the function of one column has values.
func (c *column) domain() span {
	if c.kind >= isXExp && c.kind <= isEntropy {
		return span{0, math.Inf(1)}
	}
	return whole()
}

// exponents are those that p stands for: if it is no whole number it may be 1/q, rounded.
func exponents(p float64) span {
	if p == math.Trunc(p) {
		return just(p)
	}
	return span{math.Nextafter(p, math.Inf(-1)), math.Nextafter(p, math.Inf(1))}
}

// powered encloses vᵖ, v ≥ 0: by products for whole p. The error of math.Pow grows with p.
func powered(v, p float64) span {
	switch {
	case v == 0 && p > 0:
		return span{}
	case p != math.Trunc(p):
		return exponential(logarithm(v).times(exponents(p)))
	case p < 0:
		return just(1).over(powered(v, -p)).atLeast(0)
	}
	out := just(1)
	for base := just(v); p > 0; base, p = base.times(base), math.Floor(p/2) {
		if math.Mod(p, 2) == 1 {
			out = out.times(base)
		}
	}
	return out
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

func (a span) log() span { return span{logarithm(a.lo).lo, logarithm(a.hi).hi} }

func exponential(a span) span {
	return span{loose(math.Exp(a.lo)).lo, loose(math.Exp(a.hi)).hi}.atLeast(0)
}

// logarithm encloses that of v. Below 2^-1022, where all share an interval, math.Log errs on amd64.
func logarithm(v float64) span {
	if v > 0 && v < 0x1p-1022 {
		return span{-745, -708}
	}
	return loose(math.Log(v))
}

func (c *column) value(v float64) span {
	switch c.kind {
	case isAffine:
		return just(v)
	case isSquare:
		return just(v).times(just(v))
	case isAbs:
		return just(math.Abs(v))
	case isEven:
		return powered(math.Abs(v), c.p)
	case isHuber:
		if a := math.Abs(v); a > c.p {
			return just(2).times(just(c.p)).times(just(a)).less(just(c.p).times(just(c.p)))
		}
		return just(v).times(just(v))
	case isPosPower:
		return powered(max(v, 0), c.p)
	case isExp:
		return exponential(just(v))
	case isLogistic:
		return loose(max(v, 0) + math.Log1p(math.Exp(-math.Abs(v)))).atLeast(0)
	case isXExp:
		return loose(v * math.Exp(v)).atLeast(0)
	case isPower:
		return powered(v, c.p)
	case isLog:
		return logarithm(v)
	case isEntropy:
		return just(-v).times(logarithm(v))
	}
	return whole()
}

// derivative encloses the slope at a number, at a kink a subgradient.
func (c *column) derivative(v float64) span {
	switch c.kind {
	case isSquare:
		return just(2).times(just(v))
	case isAbs:
		return just(math.Copysign(1, v))
	case isEven:
		s := (&column{kind: isPower, p: c.p}).derivative(math.Abs(v))
		if v < 0 {
			return s.minus()
		}
		return s
	case isHuber:
		return just(2).times(just(span{-c.p, c.p}.clip(v)))
	case isPosPower, isPower: // p·vᵖ/v
		if v <= 0 && c.p > 1 {
			return span{}
		}
		return powered(v, c.p).times(exponents(c.p)).over(just(v))
	case isExp:
		return exponential(just(v))
	case isLogistic:
		e := math.Exp(-math.Abs(v))
		if v < 0 {
			return loose(e / (1 + e))
		}
		return loose(1 / (1 + e))
	case isXExp:
		return loose((1 + v) * math.Exp(v))
	case isLog:
		return loose(1 / v)
	case isEntropy:
		return logarithm(v).minus().less(just(1))
	}
	return whole()
}

// derivatives encloses the slopes, at kinks the subgradients, on an interval inside the domain.
// Each function is convex or concave, so that its slopes are between those of the ends.
func (c *column) derivatives(a span) span {
	u, v := c.derivative(a.lo), c.derivative(a.hi)
	return span{min(u.lo, v.lo), max(u.hi, v.hi)}
}

// bends is 1 for a convex function, −1 for a concave one, 0 on an interval where it is
// affine.
func (c *column) bends(a span) int {
	switch c.kind {
	case isAbs:
		if a.lo >= 0 || a.hi <= 0 {
			return 0
		}
	case isLog, isEntropy:
		return -1
	case isPower:
		if c.p > 0 && c.p < 1 {
			return -1
		}
	}
	return 1
}

func (c *column) even() bool {
	return c.kind == isSquare || c.kind == isAbs || c.kind == isEven || c.kind == isHuber
}

// image is the range on an interval.
func (c *column) image(a span) span {
	a = a.meet(c.domain())
	if a.empty() {
		return a
	}
	switch {
	case c.kind == isEntropy:
		lo, hi := c.value(a.lo), c.value(a.hi)
		if math.IsInf(a.hi, 1) {
			hi.lo = math.Inf(-1)
		}
		top := max(lo.hi, hi.hi)
		if a.lo <= 0.3679 && a.hi >= 0.3678 { // the peak 1/e at 1/e
			top = 0.36787944117144239
		}
		return span{min(lo.lo, hi.lo), top}
	case c.kind == isPower && c.p < 0:
		return span{c.value(a.hi).lo, c.value(a.lo).hi}
	case c.even():
		a = a.magnitude()
	}
	return span{c.value(a.lo).lo, c.value(a.hi).hi}
}

// root encloses the argument, not negative but of exponentials, logarithms and logistic
// functions, with the value w.
func (c *column) root(w float64) span {
	switch c.kind {
	case isAbs:
		return just(w)
	case isSquare:
		return loose(math.Sqrt(w))
	case isHuber:
		if v := math.Sqrt(w); !(v > c.p) {
			return loose(v)
		}
		return loose((w/c.p + c.p) / 2)
	case isExp:
		return logarithm(w)
	case isLog:
		return loose(math.Exp(w))
	case isLogistic: // the logarithm, of a number up to 1 with an error of two units, may cancel w
		return logarithm(-math.Expm1(-w)).plus(just(w)).plus(span{-0x1p-50, 0x1p-50})
	}
	return exponential(logarithm(w).over(exponents(c.p)))
}

// preimage is the part of a where the function can be in w.
func (c *column) preimage(w, a span) span {
	a = a.meet(c.domain())
	if c.kind == isXExp || c.kind == isEntropy {
		return a
	}
	if c.kind != isLog && w.hi < 0 {
		return span{1, -1}
	}
	if c.even() {
		far := c.root(w.hi).hi
		a = a.meet(span{-far, far})
		if w.lo > 0 {
			near := c.root(w.lo).lo
			if a.lo > -near {
				a.lo = max(a.lo, near)
			}
			if a.hi < near {
				a.hi = min(a.hi, -near)
			}
		}
		return a
	}
	positive := w.lo > 0 || c.kind == isLog && w.lo > math.Inf(-1)
	if c.kind == isPower && c.p < 0 {
		if w.hi < math.Inf(1) && w.hi > 0 {
			a.lo = max(a.lo, c.root(w.hi).lo)
		}
		if positive {
			a.hi = min(a.hi, c.root(w.lo).hi)
		}
		return a
	}
	if w.hi < math.Inf(1) && !(c.kind == isLogistic && w.hi <= 0) {
		a.hi = min(a.hi, c.root(w.hi).hi)
	}
	if positive {
		a.lo = max(a.lo, c.root(w.lo).lo)
	}
	return a
}
