package verify

import "math"

// span is an interval of float64 numbers, rounded outward.
type span struct{ lo, hi float64 }

func whole() span                     { return span{math.Inf(-1), math.Inf(1)} }
func just(v float64) span             { return span{v, v} }
func (a span) empty() bool            { return !(a.lo <= a.hi) }
func (a span) finite() bool           { return a.lo > math.Inf(-1) && a.hi < math.Inf(1) }
func (a span) mid() float64           { return a.lo + (a.hi-a.lo)/2 }
func (a span) meet(b span) span       { return span{max(a.lo, b.lo), min(a.hi, b.hi)} }
func (a span) minus() span            { return span{-a.hi, -a.lo} }
func (a span) clip(v float64) float64 { return min(max(v, a.lo), a.hi) }

// below is the sum rounded down: where taking a part away does not give the other part
// back, a unit is taken off.
func below(a, b float64) float64 {
	switch s := a + b; {
	case a == 0:
		return b
	case b == 0:
		return a
	case math.IsNaN(s) || math.IsInf(a, -1) || math.IsInf(b, -1):
		return math.Inf(-1)
	case math.IsInf(a, 1) || math.IsInf(b, 1):
		return math.Inf(1)
	case s-a == b && s-b == a:
		return s
	default:
		return math.Nextafter(s, math.Inf(-1))
	}
}

func above(a, b float64) float64 { return -below(-a, -b) }

// belowProduct is the product rounded down, 0 where a factor is 0.
func belowProduct(a, b float64) float64 {
	switch p := a * b; {
	case a == 0 || b == 0:
		return 0
	case math.IsInf(a, 0) || math.IsInf(b, 0):
		return p
	case math.Abs(p) > 1e-280 && math.Abs(p) < math.MaxFloat64 && math.FMA(a, b, -p) >= 0:
		return p
	default:
		return math.Nextafter(p, math.Inf(-1))
	}
}

func aboveProduct(a, b float64) float64 { return -belowProduct(-a, b) }

func (a span) plus(b span) span { return span{below(a.lo, b.lo), above(a.hi, b.hi)} }
func (a span) less(b span) span { return a.plus(b.minus()) }

func (a span) times(b span) span {
	if a == (span{}) || b == (span{}) {
		return span{}
	}
	return span{
		min(belowProduct(a.lo, b.lo), belowProduct(a.lo, b.hi), belowProduct(a.hi, b.lo), belowProduct(a.hi, b.hi)),
		max(aboveProduct(a.lo, b.lo), aboveProduct(a.lo, b.hi), aboveProduct(a.hi, b.lo), aboveProduct(a.hi, b.hi)),
	}
}

// over is the quotient; all numbers where the divisor has 0 inside.
func (a span) over(b span) span {
	switch {
	case b.hi <= 0 && b.lo < 0:
		return a.minus().over(b.minus())
	case b.lo < 0 || b.hi == 0:
		return whole()
	}
	inverse := span{0, math.Inf(1)}
	if b.hi < math.Inf(1) {
		inverse.lo = math.Nextafter(1/b.hi, 0)
	}
	if b.lo > 0 {
		inverse.hi = math.Nextafter(1/b.lo, math.Inf(1))
	}
	if b.lo == b.hi && b.lo == 1 {
		return a
	}
	return a.times(inverse)
}

func (a span) magnitude() span {
	switch {
	case a.lo >= 0:
		return a
	case a.hi <= 0:
		return a.minus()
	}
	return span{0, max(-a.lo, a.hi)}
}

// loose encloses the value of a function of the mathematical library. Source: 16 units in
// the last place, where its tests allow a few.
func loose(v float64) span {
	switch {
	case math.IsNaN(v):
		return whole()
	case math.IsInf(v, 1):
		return span{math.MaxFloat64, v}
	case math.IsInf(v, -1):
		return span{v, -math.MaxFloat64}
	}
	e := math.Abs(v)*0x1p-48 + 0x1p-1050
	return span{v - e, v + e}
}

func (a span) atLeast(v float64) span { return span{max(a.lo, v), a.hi} }
