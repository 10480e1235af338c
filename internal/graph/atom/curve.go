package atom

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/interval"
)

// Interval is a set of numbers.
type Interval = interval.Interval

// Curve is a function f of a number u with a parameter p, which most rows have no use for: a row
// of the table. It is continuous on its domain, and has a second derivative but for kinks.
type Curve struct {
	Name         string // in problem files, messages and the protocol
	HasParameter bool   // the function is another for another p
	// Value is NaN or infinite outside of the domain. Slope is any subgradient at a kink, where
	// the range of Slope has all of them and the range of Second an infinite end if the slope
	// jumps.
	Value, Slope, Second Part
	// Domain has all arguments with a value, and ends at which the value or the slope is
	// infinite; nil: all numbers.
	Domain func(p float64) Interval
	// Inverse is the argument with value v, not rounded outwards and NaN where there is none; nil
	// if f is not monotone.
	Inverse func(v, p float64) float64
	// Inflections are the numbers in i, ascending, at which Second changes its sign; nil: nowhere.
	Inflections func(i Interval, p float64) []float64
}

// Part is a function of u with its ranges.
type Part struct {
	At func(u, p float64) float64
	// Over encloses the values on an interval within the domain.
	Over func(i Interval, p float64) Interval
}

// families is the table, in pieces.
var families = [][]*Curve{
	powers, exponentials, logarithms, trigonometric, hyperbolic, distributions,
}

// Curves returns all rows.
func Curves() []*Curve { return slices.Concat(families...) }

// Find returns the row of a name, nil if there is none.
func Find(name string) *Curve {
	for _, rows := range families {
		for _, c := range rows {
			if c.Name == name {
				return c
			}
		}
	}
	return nil
}

// In returns the part of i within the domain; its nearest end if there is none.
func (c *Curve) In(i Interval, p float64) Interval {
	if c.Domain == nil {
		return i
	}
	return interval.Clip(i, c.Domain(p))
}

// Direction returns 1 if f is nondecreasing on i, −1 if it is nonincreasing, 0 if neither is known.
func (c *Curve) Direction(i Interval, p float64) int {
	switch s := c.Slope.Over(c.In(i, p), p); {
	case s.Lo >= 0:
		return 1
	case s.Hi <= 0:
		return -1
	}
	return 0
}

// Curvature reports whether f is known to be convex on i, and to be concave.
func (c *Curve) Curvature(i Interval, p float64) (convex, concave bool) {
	s := c.Second.Over(c.In(i, p), p)
	return s.Lo >= 0, s.Hi <= 0
}

// nonnegative is the domain of functions that end at 0.
func nonnegative(float64) Interval { return interval.New(0, math.Inf(1)) }

// atZero has one inflection point.
func atZero(i Interval, _ float64) []float64 {
	if i.Lo < 0 && i.Hi > 0 {
		return []float64{0}
	}
	return nil
}
