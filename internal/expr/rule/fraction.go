package rule

import (
	"errors"
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/interval"
)

// QuotientOf is a/b, see dc.Quotient.
func QuotientOf(a, b expr.Scalar) expr.Scalar {
	if err := errors.Join(a.Err, b.Err); err != nil {
		return expr.Scalar{Err: err}
	}
	i := b.Range()
	e := expr.Failed("the sign of the denominator is not known: by the bounds of the variables it is %g to %g", i.Lo,
		i.Hi)
	switch {
	case i.Lo >= 0:
		e = TimesOf(a, invPosOf(b))
	case i.Hi <= 0:
		e = TimesOf(a, invPosOf(b.Neg())).Neg()
	}
	if e.Err == nil || b.IsConst() {
		return e
	}
	return expr.Linearised(func(p expr.Parted) expr.Written { return &quotient{p, a, b} }, e.Err, a, b)
}

// quotient is a/b for a b of any sign but 0.
type quotient struct {
	expr.Parted
	a, b expr.Scalar
}

func (f *quotient) Smooth() bool   { return true }
func (f *quotient) String() string { return "quotient" }

func (f *quotient) Value(x []float64) float64 {
	b := f.b.Value(x)
	if b == 0 {
		return math.NaN()
	}
	return f.a.Value(x) / b
}

func (f *quotient) AddSubgrad(dst []float64, scale float64, x []float64) {
	b := f.b.Value(x)
	f.a.AddGradient(dst, scale/b, x)
	f.b.AddGradient(dst, -scale*f.a.Value(x)/b/b, x)
}

// knownDivisor is how many times its rounding error a divisor is at least, for its quotient to be
// known: else that may be of either sign, and its error is no reason to take a constraint as kept.
// Source: derived: at 4 the error of the quotient is a third of its size.
const knownDivisor = 4

// Approx: |a/b − A/B| ≤ (|A − a| + |a/b|·|B − b|)/|B| for the exact A and B.
func (f *quotient) Approx(x []float64) convex.Approx {
	a, b := f.a.Approx(x), f.b.Approx(x)
	v := f.Value(x)
	if math.Abs(b.V) < knownDivisor*b.E {
		return convex.Approx{V: v, E: math.Inf(1)}
	}
	return convex.Approx{V: v, E: (a.E+math.Abs(v)*b.E)/max(math.Abs(b.V)-b.E, 0) + convex.Roundoff*math.Abs(v) +
		math.SmallestNonzeroFloat64}
}

// Bends: where the denominator has a sign, which its bounds need not show with a split.
func (f *quotient) Bends() (convex.Bends, bool) {
	a, ok := expr.BendsOf(&f.a)
	b, both := expr.BendsOf(&f.b)
	if b.Over.Hi < 0 {
		a, b = a.Neg(), b.Neg()
	}
	return a.Times(expr.PowerCurve("power", -1).Of(b)), ok && both && b.Over.Lo > 0
}

func (f *quotient) Partial() bool           { return true }
func (f *quotient) Over() interval.Interval { return interval.Whole }
func (f *quotient) Node() expr.Node {
	return expr.Node{Name: "quotient", Inputs: [2]expr.Array{{Fs: []expr.Scalar{f.a}}, {Fs: []expr.Scalar{f.b}}}}
}
