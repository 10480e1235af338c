package safe

import "math"

// Span is an interval of float64 numbers, rounded outward.
type Span struct{ Lo, Hi float64 }

func Whole() Span                     { return Span{math.Inf(-1), math.Inf(1)} }
func Just(v float64) Span             { return Span{v, v} }
func (a Span) Empty() bool            { return !(a.Lo <= a.Hi) }
func (a Span) Has(v float64) bool     { return a.Lo <= v && v <= a.Hi }
func (a Span) Finite() bool           { return a.Lo > math.Inf(-1) && a.Hi < math.Inf(1) }
func (a Span) Meet(b Span) Span       { return Span{max(a.Lo, b.Lo), min(a.Hi, b.Hi)} }
func (a Span) Minus() Span            { return Span{-a.Hi, -a.Lo} }
func (a Span) Clip(v float64) float64 { return min(max(v, a.Lo), a.Hi) }

// Mid is a finite number, of a bounded interval its middle.
func (a Span) Mid() float64 {
	if m := a.Lo + (a.Hi-a.Lo)/2; m-m == 0 {
		return m
	}
	return 0
}

// Below is the sum rounded down: where taking a part away does not give the other part
// back, a unit is taken off. A sum that is no number is −Inf.
func Below(a, b float64) float64 {
	switch s := a + b; {
	case s-a == b && s-b == a:
		return s
	case math.IsNaN(s) || math.IsInf(a, -1) || math.IsInf(b, -1):
		return math.Inf(-1)
	case math.IsInf(a, 1) || math.IsInf(b, 1):
		return math.Inf(1)
	default:
		return math.Nextafter(s, math.Inf(-1))
	}
}

func Above(a, b float64) float64 { return -Below(-a, -b) }

// BelowProduct is the product rounded down, 0 where a factor is 0.
func BelowProduct(a, b float64) float64 {
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

func AboveProduct(a, b float64) float64 { return -BelowProduct(-a, b) }

func (a Span) Plus(b Span) Span { return Span{Below(a.Lo, b.Lo), Above(a.Hi, b.Hi)} }
func (a Span) Less(b Span) Span { return a.Plus(b.Minus()) }

func (a Span) Times(b Span) Span {
	if a == (Span{}) || b == (Span{}) {
		return Span{}
	}
	return Span{
		min(BelowProduct(a.Lo, b.Lo), BelowProduct(a.Lo, b.Hi), BelowProduct(a.Hi, b.Lo), BelowProduct(a.Hi, b.Hi)),
		max(AboveProduct(a.Lo, b.Lo), AboveProduct(a.Lo, b.Hi), AboveProduct(a.Hi, b.Lo), AboveProduct(a.Hi, b.Hi)),
	}
}

// Over is the quotient; all numbers where the divisor may be 0.
func (a Span) Over(b Span) Span {
	switch {
	case b.Hi < 0:
		return a.Minus().Over(b.Minus())
	case !(b.Lo > 0):
		return Whole()
	case b == Just(1):
		return a
	}
	return a.Times(Span{math.Nextafter(1/b.Hi, 0), math.Nextafter(1/b.Lo, math.Inf(1))})
}

func (a Span) Magnitude() Span {
	switch {
	case a.Lo >= 0:
		return a
	case a.Hi <= 0:
		return a.Minus()
	}
	return Span{0, max(-a.Lo, a.Hi)}
}

// loose encloses the value of a function of the mathematical library. Source: 16 units in
// the last place, where its tests allow a few; on amd64 math.Exp is infinite from 1.27e308 on.
func loose(v float64) Span {
	switch {
	case math.IsNaN(v):
		return Whole()
	case math.IsInf(v, 1):
		return Span{0x1p1023, v}
	case math.IsInf(v, -1):
		return Span{v, -0x1p1023}
	}
	e := math.Abs(v)*0x1p-48 + 0x1p-1050
	return Span{v - e, v + e}
}

func (a Span) atLeast(v float64) Span { return Span{max(a.Lo, v), a.Hi} }
func (a Span) Positive() Span         { return Span{max(a.Lo, 0), max(a.Hi, 0)} }

// Shifted is both sides plus c, where no side stays none.
func (a Span) Shifted(c float64) Span {
	shift := func(side float64) float64 {
		if math.IsInf(side, 0) && !math.IsNaN(c) {
			return side
		}
		return side + c
	}
	return Span{shift(a.Lo), shift(a.Hi)}
}

// EndOf is the end that a multiplier is of.
func (a Span) EndOf(y float64) float64 {
	if y < 0 {
		return a.Lo
	}
	return a.Hi
}
