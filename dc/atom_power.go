package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Sqrt is √u. It restricts u to u ≥ 0.
//
//	arguments  u: a scalar
//	curvature  concave
//	sign       nonnegative
//	monotone   u: nondecreasing
//	domain     u ≥ 0
//	takes      affine or concave; sums of squares; others whose bounds keep the slope finite
//	refuses    arrays; others; constants < 0
//	form       second-order cone
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2.3
func Sqrt(u Operand) Expr { return Power(u, 0.5) }

// InvPos is 1/u. It restricts u to u > 0.
//
//	arguments  u: a scalar
//	curvature  convex
//	sign       nonnegative
//	monotone   u: nonincreasing
//	domain     u > 0
//	takes      affine or concave; others whose bounds keep the slope finite
//	refuses    arrays; others; constants ≤ 0
//	form       second-order cone
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2.3
func InvPos(u Operand) Expr { return Power(u, -1) }

// Power is oᵖ. It restricts o to o ≥ 0 unless p is a positive integer. For an odd
// p > 1 and affine o it is a difference: o₊ᵖ − (−o)₊ᵖ; other integer powers are
// products of squares. A power p > 0 of w·v^q with w > 0 and q < 0 is w^p·v^(p·q).
//
//	arguments  o: a scalar; p: a number
//	curvature  convex for even p, for p < 0 and for p > 1 that are no integers; concave for 0 < p < 1; DC for odd p > 1
//	sign       nonnegative; any for odd p > 0
//	monotone   o: nondecreasing for p > 0, nonincreasing for p < 0, by sign for even p > 0
//	domain     o ≥ 0; o > 0 for p < 0; all for positive integers
//	takes      as the curvature and direction allow; others whose bounds keep the slope finite
//	refuses    arrays; a p that is NaN or infinite; others
//	form       power cone, with rows for p > 1; second-order cone for p = 1/2 and p = −1; quadratic for even p
//	source     Chares 2009, section 4
func Power(o Operand, p float64) Expr {
	u := ToExpr(o)
	// an exponent that is rounded would be another function
	if v, q, ok := u.asPower(); ok && p > 0 && !math.IsInf(p, 1) && math.FMA(p, q, -p*q) == 0 {
		return Power(v, p*q).Scale(math.Pow(u.terms[0].w, p))
	}
	integer := p == math.Trunc(p)
	switch {
	case u.err != nil:
		return u
	case math.IsNaN(p) || math.IsInf(p, 0):
		return badExpr("power %g", p)
	case p == 0:
		return constantExpr(1)
	case p == 1:
		return u
	case p == 2:
		return Square(u)
	case p == 4 && u.IsAffine():
		return Square(Square(u))
	case p < 0:
		return apply(powerCurve("power", p), u)
	case p < 1:
		return rootOf(u, p)
	}
	s := u.split()
	neg := s.scale(-1)
	switch {
	case s.nonnegative():
		return apply(powerCurve("pos_power", p), u)
	case integer && neg.nonnegative():
		return Power(u.Neg(), p).Scale(math.Pow(-1, p))
	case !integer:
		return apply(powerCurve("power", p), u)
	case u.IsAffine() && math.Mod(p, 2) == 0:
		return apply(powerCurve("pos_power", p), Abs(u))
	case u.IsAffine():
		return apply(powerCurve("pos_power", p), u).Sub(apply(powerCurve("pos_power", p), u.Neg()))
	case math.Mod(p, 2) == 0:
		return Square(Power(u, p/2))
	}
	return Mul(u, Square(Power(u, (p-1)/2)))
}

// rootOf is uᵖ, 0 < p < 1. The square root of a sum of squares is a norm, that of a product of
// affine functions without a negative value their geometric mean.
func rootOf(u Expr, p float64) Expr {
	if len(u.terms) == 1 && u.lin.isZero() && u.terms[0].w > 0 && p == 0.5 {
		positive := func(e Expr) bool { return e.IsAffine() && e.Range().Lo >= 0 }
		if a, b, ok := twoFactors(u.terms[0].f); ok && positive(a) && positive(b) {
			return GeoMeanOf([]Expr{a, b}).Scale(math.Sqrt(u.terms[0].w))
		}
	}
	if s := u.split(); p == 0.5 && s.isConvex() && s.lin.IsConst() && s.lin.Const >= 0 {
		if a, ok := squaredEntries(s); ok {
			return Norm2(a)
		}
	}
	return apply(powerCurve("power", p).neg(), u).Neg()
}

// asPower is v and p where e is written as w·vᵖ, w > 0, p < 0, v restricted to v > 0.
func (e Expr) asPower() (v Expr, p float64, ok bool) {
	if len(e.terms) != 1 || !(e.terms[0].w > 0) || !e.lin.isZero() {
		return Expr{}, 0, false
	}
	c, ok := e.terms[0].f.(*curveAtom)
	if !ok {
		return Expr{}, 0, false
	}
	v, by := *c.e(), c.f
	v.of = v.of.join(e.of)
	return v, by.p, by.is("power") && by.p < 0
}

// squaredEntries are affine functions whose squares sum to a convex split.
func squaredEntries(s *split) (Affine, bool) {
	rows := []Linear{{Const: math.Sqrt(s.lin.Const)}}
	for _, t := range s.g {
		a, ok := roots(t.f)
		if !ok {
			return Affine{}, false
		}
		for k := range a.c {
			rows = append(rows, a.Entry(k).Scale(math.Sqrt(t.w)))
		}
	}
	if rows[0].isZero() {
		rows = rows[1:]
	}
	return Entries(rows...), true
}

// roots are affine functions whose squares sum to f.
func roots(f Convex) (Affine, bool) {
	if a := rowAt(f, atom.SumSquares); a != nil {
		return *a, true
	}
	if q, ok := f.(*quad); ok {
		return q.factor()
	}
	return Affine{}, false
}

// QuadOverLin is ‖a‖²/y.
//
//	arguments  a: an array of any shape; y: a scalar
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign; y: nonincreasing
//	domain     y > 0
//	takes      affine
//	refuses    a y that is no scalar; a constant y ≤ 0 under constants
//	form       second-order cone
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2.3
func QuadOverLin(a, y Affine) Expr {
	both := Stack(y, a)
	if err := both.Err(); err != nil {
		return Expr{err: err}
	}
	if y.Len() != 1 {
		return badExpr("quadoverlin with a denominator of shape %v, want a scalar", y.shape)
	}
	return reduce(atom.QuadOverLin, nil, both)
}

// QuadOverLinOf is QuadOverLin of a slice of scalars and a scalar y.
//
//	as         QuadOverLin
//	takes      us affine, or convex and nonnegative; y affine or concave
//	refuses    others
func QuadOverLinOf[T Operand](us []T, y Operand) Expr {
	return reduceAny(atom.QuadOverLin, nil, append([]Expr{ToExpr(y)}, exprs(us)...))
}

func powerAtoms() []constructor {
	return []constructor{
		{op: "power", args: 1, data: 1, scalar: true, make: func(args []Array, data []float64) Expr {
			return Power(args[0].Entry(0), data[0])
		}},
		{op: "pos_power", args: 1, data: 1, scalar: true, make: func(args []Array, data []float64) Expr {
			if !(data[0] > 1) || math.IsInf(data[0], 1) {
				return badExpr("pos_power %g, want an exponent > 1", data[0])
			}
			return apply(powerCurve("pos_power", data[0]), args[0].Entry(0))
		}},
		{op: "sqrt", args: 1, scalar: true, make: ofScalar(Sqrt)},
		{op: "invpos", args: 1, scalar: true, make: ofScalar(InvPos)},
	}
}
