package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
)

// unit is the unit roundoff of float64: the relative error of one operation.
// Source: IEEE 754 binary64.
const unit = 0x1p-53

// approx is a computed value and a bound of its distance from the exact one at
// the same x: running error analysis, Higham 2002, section 3.3. The coefficients
// of affine functions count as rounded coefficientErrors times, as those are
// that were computed when the problem was stated; of constants that cancel each counts.
type approx struct{ v, e float64 }

// Source: derived: read, multiplied and added once each.
const coefficientErrors = 3

// bound is a bound of the error that is no number only where the value is none.
func (a approx) bound() float64 {
	if math.IsNaN(a.e) || !finite(a.v) {
		return math.Inf(1)
	}
	return a.e
}

// lo and hi are the ends of a's interval. A value beyond all numbers is its own ends, so that it
// decides no minimum or maximum that another item decides.
func (a approx) lo() float64 { return a.v - a.spread() }
func (a approx) hi() float64 { return a.v + a.spread() }

func (a approx) spread() float64 {
	if math.IsInf(a.v, 0) {
		return 0
	}
	return a.e
}

// rounded is a with n further roundings of its value.
func (a approx) rounded(n float64) approx { return approx{a.v, a.e + n*unit*math.Abs(a.v)} }

// total adds up.
type total struct{ approx }

func (s *total) add(a approx) {
	s.v += a.v
	s.e += a.e + unit*math.Abs(s.v)
}

func (s *total) addScaled(w float64, a approx) {
	p := w * a.v
	s.v += p
	s.e += math.Abs(w)*a.e + 2*unit*math.Abs(p) + unit*math.Abs(s.v) // w is rounded too
}

// times is a·b.
func (a approx) times(b approx) approx {
	v := a.v * b.v
	return approx{v, math.Abs(a.v)*b.e + math.Abs(b.v)*a.e + a.e*b.e + unit*math.Abs(v)}
}

// approximator is implemented by all functions of this package; only the error
// of a user's oracle is not known.
type approximator interface{ approx(x []float64) approx }

func approximate(f Convex, x []float64) approx {
	if a, ok := f.(approximator); ok {
		return a.approx(x)
	}
	v := f.Value(x)
	return approx{v, unit * math.Abs(v)}
}

func (l Linear) approx(x []float64) approx {
	s, e := l.Const, unit*coefficientErrors*(math.Abs(l.Const)+l.lost)
	for k, j := range l.Idx {
		p := l.Val[k] * x[j]
		s += p
		// in this order nothing overflows beside a finite s
		e += unit*(1+coefficientErrors)*math.Abs(p) + unit*math.Abs(s)
	}
	return approx{s, e}
}

// approx is entry k.
func (a *Expr) approx(k int, x []float64) approx {
	l := Linear{Const: a.c[k], lost: a.lost}
	if a.ptr != nil {
		lo, hi := a.ptr[k], a.ptr[k+1]
		l.Idx, l.Val = a.idx[lo:hi], a.val[lo:hi]
	}
	return l.approx(x)
}

// errorNorm is the Euclidean norm of the bounds of all entries' errors.
func (a *Expr) errorNorm(x []float64) float64 {
	s := 0.0
	for k := range a.c {
		e := a.approx(k, x).e
		s += e * e
	}
	return math.Sqrt(s)
}

// largest is the largest of many values: the exact one is between the largest
// lower end and the largest upper end.
type largest struct {
	v, lo, hi float64
	nan       bool
}

func newLargest() largest {
	return largest{math.Inf(-1), math.Inf(-1), math.Inf(-1), false}
}

func (m *largest) add(a approx) {
	m.v, m.lo, m.hi = max(m.v, a.v), max(m.lo, a.lo()), max(m.hi, a.hi())
}

func (m *largest) approx() approx { return approx{m.v, max(m.hi-m.v, m.v-m.lo)} }

func (l Linear) over() Interval {
	i := point(l.Const)
	for k, j := range l.Idx {
		i = i.Add(l.of.interval(j).Scale(l.Val[k]))
	}
	return i
}

// over is the range of entry k.
func (a *Expr) over(k int) Interval { return a.Linear(k).over() }

// ranged is implemented by functions that know something of their range.
type ranged interface{ over() Interval }

// rangeOf is an interval that holds f wherever the variables are within their
// bounds.
func rangeOf(f Convex) Interval {
	if r, ok := f.(ranged); ok {
		return r.over()
	}
	return interval.Whole
}
