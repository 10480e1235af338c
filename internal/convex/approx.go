package convex

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// Roundoff is the unit roundoff of float64: the relative error of one operation.
// Source: IEEE 754 binary64.
const Roundoff = 0x1p-53

// Approx is a computed value and a bound of its distance from the exact one at
// the same x: running error analysis, Higham 2002, section 3.3. The coefficients
// of affine functions count as rounded coefficientErrors times, as those are
// that were computed when the problem was stated; of constants that cancel each counts.
type Approx struct{ V, E float64 }

// Source: derived: read, multiplied and added once each.
const coefficientErrors = 3

// Bound is a bound of the error; it is NaN only where the value is.
func (a Approx) Bound() float64 {
	if math.IsNaN(a.E) || !num.Finite(a.V) {
		return math.Inf(1)
	}
	return a.E
}

// Lo and hi are the ends of a's interval. A value beyond all numbers is its own ends, so that it
// decides no minimum or maximum that another item decides.
func (a Approx) Lo() float64 { return a.V - a.spread() }
func (a Approx) Hi() float64 { return a.V + a.spread() }

func (a Approx) spread() float64 {
	if math.IsInf(a.V, 0) {
		return 0
	}
	return a.E
}

// Rounded is a with n further roundings of its value.
func (a Approx) Rounded(n float64) Approx { return Approx{a.V, a.E + n*Roundoff*math.Abs(a.V)} }

// Total adds up.
type Total struct{ Approx }

func (s *Total) Add(a Approx) {
	s.V += a.V
	s.E += a.E + Roundoff*math.Abs(s.V)
}

func (s *Total) AddScaled(w float64, a Approx) {
	p := w * a.V
	s.V += p
	s.E += math.Abs(w)*a.E + 2*Roundoff*math.Abs(p) + Roundoff*math.Abs(s.V) // w is rounded too
}

// Times is a·b.
func (a Approx) Times(b Approx) Approx {
	v := a.V * b.V
	return Approx{v, math.Abs(a.V)*b.E + math.Abs(b.V)*a.E + a.E*b.E + Roundoff*math.Abs(v)}
}

// approximator is implemented by all functions of this package; only the error
// of a user's oracle is not known.
type approximator interface{ Approx(x []float64) Approx }

// Approximate is f at x with a bound of the rounding error: f says it, or it is one rounding.
func Approximate(f Func, x []float64) Approx {
	if a, ok := f.(approximator); ok {
		return a.Approx(x)
	}
	v := f.Value(x)
	return Approx{v, Roundoff * math.Abs(v)}
}

func (l Linear) Approx(x []float64) Approx {
	s, e := l.Const, Roundoff*coefficientErrors*(math.Abs(l.Const)+l.Lost)
	for k, j := range l.Idx {
		p := l.Val[k] * x[j]
		s += p
		// in this order nothing overflows beside a finite s
		e += Roundoff*(1+coefficientErrors)*math.Abs(p) + Roundoff*math.Abs(s)
	}
	return Approx{s, e}
}

// Approx is entry k.
func (a *Array) Approx(k int, x []float64) Approx {
	l := Linear{Const: a.C[k], Lost: a.Lost}
	if a.Ptr != nil {
		lo, hi := a.Ptr[k], a.Ptr[k+1]
		l.Idx, l.Val = a.Idx[lo:hi], a.Val[lo:hi]
	}
	return l.Approx(x)
}

// ErrorNorm is the Euclidean norm of the bounds of all entries' errors.
func (a *Array) ErrorNorm(x []float64) float64 {
	s := 0.0
	for k := range a.C {
		e := a.Approx(k, x).E
		s += e * e
	}
	return math.Sqrt(s)
}

func (l Linear) Over() interval.Interval {
	i := interval.Point(l.Const)
	for k, j := range l.Idx {
		i = i.Add(l.Of.Interval(j).Scale(l.Val[k]))
	}
	return i
}

// ranged is implemented by functions that know something of their range.
type ranged interface{ Over() interval.Interval }

// RangeOf is an interval that holds f wherever the variables are within their
// bounds.
func RangeOf(f Func) interval.Interval {
	if r, ok := f.(ranged); ok {
		return r.Over()
	}
	return interval.Whole
}

// Apart is the relative distance of two ranges above which their rounding errors do not
// matter. Source: above the errors of sums of 1e6 terms.
const Apart = 1e-9

// FiniteSize is |v|, 0 where v is not finite.
func FiniteSize(v float64) float64 {
	if a := math.Abs(v); a <= math.MaxFloat64 {
		return a
	}
	return 0
}
