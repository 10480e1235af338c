package interval

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
)

// Interval is the set of numbers from Lo to Hi, which may be infinite.
// Operations round outward, and not at all where the result is exact.
type Interval struct{ Lo, Hi float64 }

// Whole is the whole line.
var Whole = Interval{math.Inf(-1), math.Inf(1)}

// New is the interval from lo to hi.
func New(lo, hi float64) Interval { return Interval{lo, hi} }

// Point is the interval of one number.
func Point(v float64) Interval { return Interval{v, v} }

// Width is Hi − Lo, to the nearest number.
func Width(i Interval) float64 { return i.Hi - i.Lo }

// Contains reports whether v lies in the interval.
func (i Interval) Contains(v float64) bool { return v >= i.Lo && v <= i.Hi }

// IsFinite reports whether both ends are finite.
func (i Interval) IsFinite() bool { return !math.IsInf(i.Lo, 0) && !math.IsInf(i.Hi, 0) }

// Clip moves the ends of i that are outside of the interval within to its nearest end.
func Clip(i, within Interval) Interval {
	return Interval{min(max(i.Lo, within.Lo), within.Hi), min(max(i.Hi, within.Lo), within.Hi)}
}

// Hull is the smallest interval with both.
func Hull(a, b Interval) Interval { return Interval{min(a.Lo, b.Lo), max(a.Hi, b.Hi)} }

// divDown is a/b rounded down, b > 0.
func divDown(a, b float64) float64 {
	q := a / b
	switch {
	case math.IsInf(q, 1) && !math.IsInf(a, 1):
		return math.MaxFloat64
	case math.IsInf(q, 0) || ExactQuotient(a, b, q):
		return q
	}
	return num.Down(q)
}

// ExactProduct is a·b, and whether it is exact.
func ExactProduct(a, b float64) (float64, bool) {
	v := a * b
	return v, a == 0 || b == 0 || math.FMA(a, b, -v) == 0 && num.Finite(v) && math.Abs(v) >= num.ExactProduct
}

// ExactQuotient reports whether q is a/b.
func ExactQuotient(a, b, q float64) bool {
	v, ok := ExactProduct(q, b)
	return ok && v == a
}

// Add returns {a + b}.
func (i Interval) Add(o Interval) Interval {
	return Interval{num.AddDown(i.Lo, o.Lo), num.AddUp(i.Hi, o.Hi)}
}

// Neg returns {−a}.
func (i Interval) Neg() Interval { return Interval{-i.Hi, -i.Lo} }

// Scale returns {w·a}.
func (i Interval) Scale(w float64) Interval {
	if w < 0 {
		return Interval{num.MulDown(w, i.Hi), num.MulUp(w, i.Lo)}
	}
	return Interval{num.MulDown(w, i.Lo), num.MulUp(w, i.Hi)}
}

// Over returns {a/w} for w ≠ 0.
func Over(i Interval, w float64) Interval {
	if w < 0 {
		return Interval{divDown(-i.Hi, -w), -divDown(i.Lo, -w)}
	}
	return Interval{divDown(i.Lo, w), -divDown(-i.Hi, w)}
}

// Mul returns {a·b}.
func (i Interval) Mul(o Interval) Interval {
	return Interval{
		min(num.MulDown(i.Lo, o.Lo), num.MulDown(i.Lo, o.Hi), num.MulDown(i.Hi, o.Lo), num.MulDown(i.Hi, o.Hi)),
		max(num.MulUp(i.Lo, o.Lo), num.MulUp(i.Lo, o.Hi), num.MulUp(i.Hi, o.Lo), num.MulUp(i.Hi, o.Hi)),
	}
}

// Abs returns {|a|}.
func (i Interval) Abs() Interval {
	switch {
	case i.Lo >= 0:
		return i
	case i.Hi <= 0:
		return i.Neg()
	}
	return Interval{0, max(-i.Lo, i.Hi)}
}

// Square returns {a²}.
func (i Interval) Square() Interval {
	a := i.Abs()
	return Interval{num.MulDown(a.Lo, a.Lo), num.MulUp(a.Hi, a.Hi)}
}

// Max returns {max(a, b)}.
func (i Interval) Max(o Interval) Interval { return Interval{max(i.Lo, o.Lo), max(i.Hi, o.Hi)} }

// Image is the image of i under a function that is monotone and whose computed
// values are within ulps units in the last place.
func Image(i Interval, f func(float64) float64, increasing bool, ulps int) Interval {
	lo, hi := f(i.Lo), f(i.Hi)
	if !increasing {
		lo, hi = hi, lo
	}
	for range ulps {
		lo, hi = num.Down(lo), num.Up(hi)
	}
	if math.IsNaN(lo) {
		lo = math.Inf(-1)
	}
	if math.IsNaN(hi) {
		hi = math.Inf(1)
	}
	return Interval{lo, hi}
}
