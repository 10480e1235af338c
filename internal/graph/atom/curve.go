package atom

import (
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
)

// Interval is a set of numbers.
type Interval = interval.Interval

// Curve is a function f of a number u with a parameter p, which most rows have no use for: a row
// of the table. It is continuous on its domain, and has a second derivative but for kinks.
type Curve struct {
	Name         string // in problem files, messages and the protocol
	Doc          Doc    // left out where HasParameter is true
	HasParameter bool   // the function is another for another p
	Kinked       bool   // it has no slope somewhere inside of its domain
	Poles        bool   // there are numbers with an infinite value inside the domain
	// Exponent is e of f(u) = uᵉ, for u ≥ 0 alone if nonnegative; nil: f is no power.
	Exponent func(p float64) (e float64, nonnegative bool)
	// Sum is the sum of f of several numbers; nil: the table has none.
	Sum *Reduce
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
	// Bound adds rows and cones to c and returns a bound, at least f(u) wherever these hold, and
	// equal to it in the best case; nil: there are none. MinusBound does so for −f. Bounds reports
	// whether one of them, the second if minus, is good for p; nil: for all.
	Bound, MinusBound func(c convex.Canon, u Lin, p float64) convex.Form
	Bounds            func(p float64, minus bool) bool
	// Samples are arguments u with f(u), f′(u) and f″(u) in decimal digits, at least 20 of them. No
	// row has them that exact_test.go computes with 1000 bits.
	Samples [][4]string
}

// Part is a function of u with its ranges.
type Part struct {
	At func(u, p float64) float64
	// Over encloses the values on an interval within the domain.
	Over func(i Interval, p float64) Interval
}

// rows is the table, in the order of the names.
var rows = []*Curve{}

// register adds rows to the table. A file of functions has the declaration var _ = register(...).
func register(list ...*Curve) bool {
	for _, c := range list {
		k, known := place(c.Name)
		if known {
			panic("atom: two functions have the name " + c.Name)
		}
		rows = slices.Insert(rows, k, c)
	}
	return true
}

func place(name string) (k int, known bool) {
	return slices.BinarySearchFunc(rows, name, func(c *Curve, name string) int { return strings.Compare(c.Name, name) })
}

// Curves returns all rows, in the order of their names.
func Curves() []*Curve { return slices.Clone(rows) }

// Find returns the row of a name, nil if there is none.
func Find(name string) *Curve {
	if k, known := place(name); known {
		return rows[k]
	}
	return nil
}

// HasBound reports whether f, or −f if minus, has rows and cones.
func (c *Curve) HasBound(p float64, minus bool) bool {
	bound := c.Bound
	if minus {
		bound = c.MinusBound
	}
	return bound != nil && (c.Bounds == nil || c.Bounds(p, minus))
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
