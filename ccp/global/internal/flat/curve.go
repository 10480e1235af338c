package flat

import (
	"math"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/num"
)

// Op is the function of a term.
type Op uint8

// The functions. Those of one column are from Affine to Huber.
const (
	Affine   Op = iota // an affine function of the columns before
	Square             // t²
	Abs                // |t|
	Even               // |t|ᵖ, p > 1
	Huber              // t² where |t| ≤ P, else 2P|t| − P²
	PosPower           // max(t, 0)ᵖ, p > 1
	Exp                // eᵗ
	Logistic           // log(1 + eᵗ)
	XExp               // t·eᵗ, t ≥ 0
	Power              // tᵖ, t ≥ 0
	Log                // log t, t ≥ 0
	Entropy            // −t·log t, t ≥ 0
	Product            // of two columns
)

// domain is the set on which the function of one column has values.
func (o Op) domain() Interval {
	switch o {
	case XExp, Power, Log, Entropy:
		return Interval{0, math.Inf(1)}
	}
	return Whole()
}

// at is the value of a function of one column that is not affine, enclosed.
func (t *Term) at(v float64) Interval {
	switch t.Op {
	case Square:
		return Interval{num.MulDown(v, v), num.MulUp(v, v)}
	case Abs:
		return point(math.Abs(v))
	case Huber:
		if a := math.Abs(v); a > t.P {
			return Interval{num.MulDown(2*t.P, a), num.MulUp(2*t.P, a)}.sub(Interval{num.MulDown(t.P, t.P), num.MulUp(t.P, t.P)})
		}
		return Interval{num.MulDown(v, v), num.MulUp(v, v)}
	case Even:
		return power(math.Abs(v), t.P)
	case PosPower:
		return power(max(v, 0), t.P)
	case Power:
		return power(v, t.P)
	case Exp:
		return positive(around(math.Exp(v)))
	case Logistic:
		return positive(around(max(v, 0) + math.Log1p(math.Exp(-math.Abs(v)))))
	case XExp:
		return positive(around(v * math.Exp(v)))
	case Log:
		return around(math.Log(v))
	case Entropy:
		if v == 0 {
			return Interval{}
		}
		return around(-v * math.Log(v))
	}
	return Whole()
}

func power(v, p float64) Interval {
	if v == 0 && p > 0 {
		return Interval{}
	}
	return positive(around(math.Pow(v, p)))
}

func positive(a Interval) Interval { return Interval{max(a.Lo, 0), a.Hi} }

// slope is the derivative at a number, enclosed; at a kink any subgradient.
func (t *Term) slope(v float64) Interval {
	switch t.Op {
	case Square:
		return point(2 * v)
	case Abs:
		return point(sign(v))
	case Huber:
		return point(2 * min(max(v, -t.P), t.P))
	case Even:
		return power(math.Abs(v), t.P-1).scale(t.P * sign(v))
	case PosPower:
		return power(max(v, 0), t.P-1).scale(t.P)
	case Power:
		return power(v, t.P-1).scale(t.P)
	case Exp:
		return positive(around(math.Exp(v)))
	case Logistic:
		return around(1 / (1 + math.Exp(-v)))
	case XExp:
		return around((1 + v) * math.Exp(v))
	case Log:
		return around(1 / v)
	case Entropy:
		l := around(math.Log(v)).neg()
		return l.sub(point(1))
	}
	return Whole()
}

func sign(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// Curvature is 1 where the function of one column is convex, −1 where it is concave, 2
// where it is affine.
func (t *Term) Curvature() int {
	switch t.Op {
	case Affine:
		return 2
	case Log, Entropy:
		return -1
	case Power:
		if t.P > 0 && t.P < 1 {
			return -1
		}
	}
	return 1
}

// CurvatureOn is Curvature on an interval: an absolute value is affine on either side.
func (t *Term) CurvatureOn(a Interval) int {
	if (t.Op == Abs || t.Op == PosPower && (a.Hi <= 0)) && (a.Lo >= 0 || a.Hi <= 0) {
		return 2
	}
	return t.Curvature()
}

// kind of monotonicity: 1 nondecreasing, −1 nonincreasing, 0 even, 2 neither.
func (t *Term) direction() int {
	switch t.Op {
	case Square, Abs, Even, Huber:
		return 0
	case Entropy:
		return 2
	case Power:
		if t.P < 0 {
			return -1
		}
	}
	return 1
}

// image is the set of values on an interval.
func (t *Term) image(a Interval) Interval {
	a = a.meet(t.Op.domain())
	if a.Empty() {
		return a
	}
	switch t.direction() {
	case 0:
		a = a.abs()
		fallthrough
	case 1:
		return Interval{t.at(a.Lo).Lo, t.at(a.Hi).Hi}
	case -1:
		return Interval{t.at(a.Hi).Lo, t.at(a.Lo).Hi}
	}
	// the entropy rises up to 1/e
	const peak = 1 / math.E
	lo, hi := t.at(a.Lo), t.at(a.Hi)
	out := Interval{min(lo.Lo, hi.Lo), max(lo.Hi, hi.Hi)}
	if a.Lo <= num.Up(peak) && a.Hi >= num.Down(peak) {
		out.Hi = num.Up(num.Up(peak))
	}
	if math.IsInf(a.Hi, 1) {
		out.Lo = math.Inf(-1)
	}
	return out
}

// inverse is the part of a on which the function can be in w.
func (t *Term) inverse(w, a Interval) Interval {
	a = a.meet(t.Op.domain())
	switch t.Op {
	case XExp, Entropy:
		return a
	case Square, Abs, Even, Huber:
		if w.Hi < 0 {
			return Interval{1, -1}
		}
		far := t.solve(w.Hi).Hi
		a = a.meet(Interval{-far, far})
		if w.Lo > 0 {
			near := t.solve(w.Lo).Lo
			if a.Lo > -near {
				a.Lo = max(a.Lo, near)
			}
			if a.Hi < near {
				a.Hi = min(a.Hi, -near)
			}
		}
		return a
	}
	if t.Op != Log && w.Hi < 0 {
		return Interval{1, -1}
	}
	if t.direction() < 0 { // tᵖ, p < 0
		if w.Hi < math.Inf(1) && w.Hi > 0 {
			a.Lo = max(a.Lo, t.solve(w.Hi).Lo)
		}
		if w.Lo > 0 {
			a.Hi = min(a.Hi, t.solve(w.Lo).Hi)
		}
		return a
	}
	if w.Hi < math.Inf(1) {
		a.Hi = min(a.Hi, t.solve(w.Hi).Hi)
	}
	if w.Lo > math.Inf(-1) && (t.Op == Log || w.Lo > 0) {
		a.Lo = max(a.Lo, t.solve(w.Lo).Lo)
	}
	return a
}

// solve encloses the v ≥ 0, of Exp, Log and Logistic any v, at which the function is w.
func (t *Term) solve(w float64) Interval {
	if math.IsInf(w, 1) {
		return Interval{math.MaxFloat64, w}
	}
	var v float64
	switch t.Op {
	case Abs:
		return point(w)
	case Square:
		v = math.Sqrt(w)
	case Huber:
		if v = math.Sqrt(w); v > t.P {
			v = (w/t.P + t.P) / 2
		}
	case Even, PosPower, Power:
		v = math.Pow(w, 1/t.P)
	case Exp:
		v = math.Log(w)
	case Log:
		v = math.Exp(w)
	case Logistic:
		if v = w + math.Log(-math.Expm1(-w)); w <= 0 {
			return Interval{math.Inf(-1), -700}
		}
	}
	switch {
	case math.IsNaN(v):
		return Whole()
	case math.IsInf(v, -1):
		return Interval{v, -700}
	case math.IsInf(v, 1):
		return Interval{math.MaxFloat64, v}
	}
	// The error of the value of 1/P counts with the logarithm of w.
	e := math.Abs(v)*1e-13*max(1, math.Abs(math.Log(math.Abs(w)+1e-300))) + 0x1p-1060
	switch t.Op {
	case Square:
		e = math.Abs(v)*1e-15 + 0x1p-1060
	case Exp, Logistic: // near 0 the numbers that v is the sum or the logarithm of are not
		e += 1e-15
	}
	return Interval{v - e, v + e}
}

// Chord is the affine function of u that equals the function at both ends of a, and
// whether there is one.
func (t *Term) Chord(a Interval, u dc.Linear) (l dc.Linear, ok bool) {
	a = a.meet(t.Op.domain())
	if !a.Finite() || a.Empty() {
		return l, false
	}
	lo, hi := t.at(a.Lo), t.at(a.Hi)
	if !lo.Finite() || !hi.Finite() {
		return l, false
	}
	slope := 0.0
	if w := a.Width(); w > 0 {
		slope = (hi.Lo - lo.Lo) / w
	}
	if math.IsInf(slope, 0) || math.IsNaN(slope) {
		return l, false
	}
	return u.AddScaled(-1, dc.Linear{Const: a.Lo}).Scale(slope).AddScaled(1, dc.Linear{Const: lo.Lo}), true
}

// Off is how much a column's value w differs from the function at its arguments x, and the
// value there.
func (t *Term) Off(x []float64, w float64) float64 {
	switch t.Op {
	case Affine:
		return 0
	case Product:
		return w - x[t.A]*x[t.B]
	}
	v := t.at(max(x[t.A], t.Op.domain().Lo))
	return w - (v.Lo + (v.Hi-v.Lo)/2)
}
