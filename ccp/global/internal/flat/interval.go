package flat

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
)

// Interval is the set of numbers from Lo to Hi; it is empty where Lo > Hi. dc.Interval is another on purpose: it
// is never empty, has no meets and quotients, and decides how functions are split, while this one makes
// proofs. Both round outward by package num.
type Interval struct{ Lo, Hi float64 }

// Whole is the whole line.
func Whole() Interval { return Interval{math.Inf(-1), math.Inf(1)} }

func point(v float64) Interval { return Interval{v, v} }

// Empty reports whether no number is in the interval.
func (a Interval) Empty() bool { return !(a.Lo <= a.Hi) }

// Finite reports whether both ends are numbers.
func (a Interval) Finite() bool { return a.Lo > math.Inf(-1) && a.Hi < math.Inf(1) }

// Width is Hi − Lo.
func (a Interval) Width() float64 { return a.Hi - a.Lo }

// Clip is the number of the interval nearest to v.
func (a Interval) Clip(v float64) float64 { return min(max(v, a.Lo), a.Hi) }

func (a Interval) meet(b Interval) Interval { return Interval{max(a.Lo, b.Lo), min(a.Hi, b.Hi)} }
func (a Interval) neg() Interval            { return Interval{-a.Hi, -a.Lo} }

func (a Interval) add(b Interval) Interval {
	return Interval{num.AddDown(a.Lo, b.Lo), num.AddUp(a.Hi, b.Hi)}
}

func (a Interval) sub(b Interval) Interval { return a.add(b.neg()) }

func (a Interval) scale(w float64) Interval {
	if w < 0 {
		return Interval{num.MulDown(w, a.Hi), num.MulUp(w, a.Lo)}
	}
	return Interval{num.MulDown(w, a.Lo), num.MulUp(w, a.Hi)}
}

func (a Interval) mul(b Interval) Interval {
	return Interval{
		min(num.MulDown(a.Lo, b.Lo), num.MulDown(a.Lo, b.Hi), num.MulDown(a.Hi, b.Lo), num.MulDown(a.Hi, b.Hi)),
		max(num.MulUp(a.Lo, b.Lo), num.MulUp(a.Lo, b.Hi), num.MulUp(a.Hi, b.Lo), num.MulUp(a.Hi, b.Hi)),
	}
}

// div is {u/v}; the whole line where b has 0 in its inside, and half of it where b ends
// at 0.
func (a Interval) div(b Interval) Interval {
	switch {
	case b.Hi < 0 || b.Hi == 0 && b.Lo < 0:
		return a.neg().div(b.neg())
	case b.Lo < 0 || b.Hi == 0:
		return Whole()
	}
	inv := Interval{0, math.Inf(1)}
	if !math.IsInf(b.Hi, 1) {
		inv.Lo = max(0, num.Down(1/b.Hi))
	}
	if b.Lo > 0 {
		inv.Hi = num.Up(1 / b.Lo)
	}
	out := a.mul(inv)
	return out
}

// abs is {|u|}.
func (a Interval) abs() Interval {
	switch {
	case a.Lo >= 0:
		return a
	case a.Hi <= 0:
		return a.neg()
	}
	return Interval{0, max(-a.Lo, a.Hi)}
}

// ulps is the error of a function of the mathematical library relative to its value: 8
// units in the last place. Source: four times the errors that the Go runtime's tests
// allow.
const ulps = 8 * 0x1p-52

// around is an interval that has every number within the error of the library of v.
func around(v float64) Interval {
	if math.IsNaN(v) {
		return Whole()
	}
	if math.IsInf(v, 1) {
		return Interval{math.MaxFloat64, v}
	}
	if math.IsInf(v, -1) {
		return Interval{v, -math.MaxFloat64}
	}
	e := math.Abs(v)*ulps + 0x1p-1060
	return Interval{v - e, v + e}
}
