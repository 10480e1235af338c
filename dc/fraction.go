package dc

import (
	"errors"
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
)

// Quotient is u/v. Where the sign of v follows from the bounds of the variables it is
// u·InvPos(v) or −u·InvPos(−v). Where not, or where these have no split, it has none near
// v = 0, see linearised.
//
//	arguments  u, v: arrays, entry by entry
//	curvature  DC
//	sign       any
//	monotone   u: none; v: none
//	domain     v ≠ 0
//	takes      any of which u·InvPos(v) has a split; smooth ones, where the quotient stands in sums or smooth functions
//	refuses    v = 0; others
//	form       none of its own
//	source     Horst and Thoai 1999, section 2; Nocedal and Wright 2006, section 18.1
func Quotient(u, v Expr) Expr { return pairwise("quotient", u, v, quotientOf) }

func quotientOf(a, b scalar) scalar {
	if err := errors.Join(a.err, b.err); err != nil {
		return scalar{err: err}
	}
	i := b.Range()
	e := badExpr("the sign of the denominator is not known: by the bounds of the variables it is %g to %g", i.Lo, i.Hi)
	switch {
	case i.Lo >= 0:
		e = timesOf(a, invPosOf(b))
	case i.Hi <= 0:
		e = timesOf(a, invPosOf(b.Neg())).Neg()
	}
	if e.err == nil || b.IsConst() {
		return e
	}
	return linearised(func(p parted) written { return &quotient{p, a, b} }, e.err, a, b)
}

// quotient is a/b for a b of any sign but 0.
type quotient struct {
	parted
	a, b scalar
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

// approx: |a/b − A/B| ≤ (|A − a| + |a/b|·|B − b|)/|B| for the exact A and B.
func (f *quotient) Approx(x []float64) convex.Approx {
	a, b := f.a.Approx(x), f.b.Approx(x)
	v := f.Value(x)
	if math.Abs(b.V) < knownDivisor*b.E {
		return convex.Approx{V: v, E: math.Inf(1)}
	}
	return convex.Approx{V: v, E: (a.E+math.Abs(v)*b.E)/max(math.Abs(b.V)-b.E, 0) + convex.Roundoff*math.Abs(v) +
		math.SmallestNonzeroFloat64}
}

// bends: where the denominator has a sign, which its bounds need not show with a split.
func (f *quotient) Bends() (convex.Bends, bool) {
	a, ok := bendsOf(&f.a)
	b, both := bendsOf(&f.b)
	if b.Over.Hi < 0 {
		a, b = a.Neg(), b.Neg()
	}
	return a.Times(powerCurve("power", -1).of(b)), ok && both && b.Over.Lo > 0
}

func (f *quotient) partial() bool           { return true }
func (f *quotient) Over() interval.Interval { return interval.Whole }
func (f *quotient) node() Node {
	return Node{op: "quotient", args: [2]argument{{exprs: []scalar{f.a}}, {exprs: []scalar{f.b}}}}
}

func quotientAtoms() []constructor {
	return []constructor{{op: "quotient", args: 2, make: func(args []Expr, _ []float64) Expr {
		return Quotient(args[0], args[1])
	}}}
}
