package dc

import (
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// Interval is the set of numbers from Lo to Hi, which may be infinite.
// Operations round outward, and not at all where the result is exact.
type Interval = interval.Interval

// Smooth is a function of your own of one number, with a first and a second derivative, as Sin is
// one: it may be applied to affine and other smooth functions, in any place where a sine may stand.
// bends returns an interval that has all second derivatives over an interval, which may be
// infinite: the split rests on it, and with too small a one CCP may rise. All functions must be
// safe for several goroutines. The name is for messages.
func Smooth(
	name string, f, slope, second func(u float64) float64, bends func(i Interval) Interval,
) func(u Expr) Expr {
	if f == nil || slope == nil || second == nil || bends == nil {
		return func(Expr) Expr { return failed("%s lacks a function", name) }
	}
	within := func(i Interval) Interval {
		if b := bends(i); b.Lo <= b.Hi {
			return b
		}
		return interval.Whole // it is none
	}
	of := func(f func(float64) float64) func(u, p float64) float64 {
		return func(u, _ float64) float64 { return f(u) }
	}
	// near is f over i by the middle and the most that its derivative, in d, can do.
	near := func(f func(float64) float64, i, d Interval) Interval {
		if !i.IsFinite() || !d.IsFinite() {
			return interval.Whole
		}
		mid := i.Lo + (i.Hi-i.Lo)/2
		v := f(mid)
		if !num.Finite(v) {
			return interval.Whole
		}
		around := interval.Image(interval.Point(v), func(v float64) float64 { return v }, true, oracleRoundings)
		return around.Add(i.Add(interval.Point(-mid)).Mul(d))
	}
	slopes := func(i Interval, _ float64) Interval { return near(slope, i, within(i)) }
	row := &atom.Curve{
		Name:   name,
		Value:  atom.Part{At: of(f), Over: func(i Interval, p float64) Interval { return near(f, i, slopes(i, p)) }},
		Slope:  atom.Part{At: of(slope), Over: slopes},
		Second: atom.Part{At: of(second), Over: func(i Interval, _ float64) Interval { return within(i) }},
	}
	return func(u Expr) Expr {
		return u.each(func(e scalar) scalar { return applyCurve(curveOf(row, 0), e) })
	}
}
