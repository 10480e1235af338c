package factorable

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// Interval is a set of numbers, empty where Lo > Hi.
type Interval = interval.Interval

// empty reports whether no number is in an interval.
func empty(a Interval) bool { return !(a.Lo <= a.Hi) }

// Middle is the number halfway between the ends.
func Middle(a Interval) float64 { return a.Lo + interval.Width(a)/2 }

// Clip is the number of an interval nearest to v.
func Clip(a Interval, v float64) float64 { return min(max(v, a.Lo), a.Hi) }

func meet(a, b Interval) Interval { return Interval{Lo: max(a.Lo, b.Lo), Hi: min(a.Hi, b.Hi)} }

// div is {u/v}; the whole line where b has 0 in its inside, and half of it where b ends
// at 0.
func div(a, b Interval) Interval {
	switch {
	case b.Hi < 0 || b.Hi == 0 && b.Lo < 0:
		return div(a.Neg(), b.Neg())
	case b.Lo < 0 || b.Hi == 0:
		return interval.Whole
	}
	inv := Interval{Lo: 0, Hi: math.Inf(1)}
	if !math.IsInf(b.Hi, 1) {
		inv.Lo = max(0, num.Down(1/b.Hi))
	}
	if b.Lo > 0 {
		inv.Hi = num.Up(1 / b.Lo)
	}
	return a.Mul(inv)
}

// ulps is the error of a function of the mathematical library relative to its value: 8
// units in the last place. Source: four times the errors that the Go runtime's tests
// allow.
const ulps = 8 * 0x1p-52

// around is an interval that has every number within the error of the library of v.
func around(v float64) Interval {
	if math.IsNaN(v) {
		return interval.Whole
	}
	if math.IsInf(v, 1) {
		return interval.New(math.MaxFloat64, v)
	}
	if math.IsInf(v, -1) {
		return interval.New(v, -math.MaxFloat64)
	}
	e := math.Abs(v)*ulps + 0x1p-1060
	return interval.New(v-e, v+e)
}
