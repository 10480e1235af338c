package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Sqrt is √u. It restricts u to u ≥ 0.
//
//	arguments  u: an array, entry by entry
//	curvature  concave
//	sign       nonnegative
//	monotone   u: nondecreasing
//	domain     u ≥ 0
//	takes      affine or concave; sums of squares; others whose bounds keep the slope finite
//	refuses    others; constants < 0
//	form       second-order cone
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2.3
func Sqrt(u Expr) Expr { return Power(u, 0.5) }

// InvPos is 1/u. It restricts u to u > 0.
//
//	arguments  u: an array, entry by entry
//	curvature  convex
//	sign       nonnegative
//	monotone   u: nonincreasing
//	domain     u > 0
//	takes      affine or concave; others whose bounds keep the slope finite
//	refuses    others; constants ≤ 0
//	form       second-order cone
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2.3
func InvPos(u Expr) Expr { return Power(u, -1) }

func invPosOf(e scalar) scalar { return powerOf(e, -1) }

// Power is oᵖ. It restricts o to o ≥ 0 unless p is a positive integer. For an odd
// p > 1 and affine o it is a difference: o₊ᵖ − (−o)₊ᵖ; other integer powers are
// products of squares. A power p > 0 of w·v^q with w > 0 and q < 0 is w^p·v^(p·q).
//
//	arguments  o: an array, entry by entry; p: a number
//	curvature  convex for even p, for p < 0 and for p > 1 that are no integers; concave for 0 < p < 1; DC for odd p > 1
//	sign       nonnegative; any for odd p > 0
//	monotone   o: nondecreasing for p > 0, nonincreasing for p < 0, by sign for even p > 0
//	domain     o ≥ 0; o > 0 for p < 0; all for positive integers
//	takes      as the curvature and direction allow; others whose bounds keep the slope finite
//	refuses    a p that is NaN or infinite; others
//	form       power cone, with rows for p > 1; second-order cone for p = 1/2 and p = −1; quadratic for even p
//	source     Chares 2009, section 4
func Power(o Expr, p float64) Expr {
	return o.each(func(e scalar) scalar { return powerOf(e, p) })
}

func powerOf(u scalar, p float64) scalar {
	// an exponent that is rounded would be another function
	if v, q, ok := u.asPower(); ok && p > 0 && !math.IsInf(p, 1) && math.FMA(p, q, -p*q) == 0 {
		return powerOf(v, p*q).Scale(math.Pow(u.terms[0].w, p))
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
		return squareOf(u)
	case p == 4 && u.IsAffine():
		return squareOf(squareOf(u))
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
		return powerOf(u.Neg(), p).Scale(math.Pow(-1, p))
	case !integer:
		return apply(powerCurve("power", p), u)
	case u.IsAffine() && math.Mod(p, 2) == 0:
		return apply(powerCurve("pos_power", p), absOf(u))
	case u.IsAffine():
		return apply(powerCurve("pos_power", p), u).Sub(apply(powerCurve("pos_power", p), u.Neg()))
	case math.Mod(p, 2) == 0:
		return squareOf(powerOf(u, p/2))
	}
	return timesOf(u, squareOf(powerOf(u, (p-1)/2)))
}

// rootOf is uᵖ, 0 < p < 1. The square root of a sum of squares is a norm, the root of a product of
// affine functions without a negative value their geometric mean.
func rootOf(u scalar, p float64) scalar {
	if len(u.terms) == 1 && u.lin.IsZero() && u.terms[0].w > 0 && p == 0.5 {
		positive := func(e scalar) bool { return e.IsAffine() && e.Range().Lo >= 0 }
		if a, b, ok := twoFactors(u.terms[0].f); ok && positive(a) && positive(b) {
			return applyEntries(atom.GeoMean, nil, listOf([]int{2}, []scalar{a, b})).Scale(math.Sqrt(u.terms[0].w))
		}
	}
	if s := u.split(); p == 0.5 && s.isConvex() && s.lin.IsConst() && s.lin.Const >= 0 {
		if a, ok := squaredEntries(s); ok {
			return reduce(atom.Norm2, nil, a)
		}
	}
	return apply(powerCurve("power", p).neg(), u).Neg()
}

// asPower is v and p where e is written as w·vᵖ, w > 0, p < 0, v restricted to v > 0.
func (e scalar) asPower() (v scalar, p float64, ok bool) {
	if len(e.terms) != 1 || !(e.terms[0].w > 0) || !e.lin.IsZero() {
		return scalar{}, 0, false
	}
	c, ok := e.terms[0].f.(*curveAtom)
	if !ok {
		return scalar{}, 0, false
	}
	v, by := *c.e(), c.f
	v.of = v.of.Join(e.of)
	return v, by.p, by.is("power") && by.p < 0
}

// squaredEntries are affine functions whose squares sum to a convex split.
func squaredEntries(s *split) (convex.Array, bool) {
	rows := []convex.Linear{{Const: math.Sqrt(s.lin.Const)}}
	for _, t := range s.g {
		a, ok := roots(t.f)
		if !ok {
			return convex.Array{}, false
		}
		for k := range a.C {
			rows = append(rows, a.Linear(k).Scale(math.Sqrt(t.w)))
		}
	}
	if rows[0].IsZero() {
		rows = rows[1:]
	}
	return convex.Entries(rows...), true
}

// roots are affine functions whose squares sum to f.
func roots(f convex.Func) (convex.Array, bool) {
	if a := rowAt(f, atom.SumSquares); a != nil {
		return *a, true
	}
	if q, ok := f.(*quad); ok {
		return q.factor()
	}
	return convex.Array{}, false
}

// QuadOverLin is ‖a‖²/y.
//
//	arguments  a: an array of any shape; y: a number
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign; y: nonincreasing
//	domain     y > 0
//	takes      a affine, or convex and nonnegative; y affine or concave
//	refuses    others; a y that is no number; a constant y ≤ 0 under constants
//	form       second-order cone
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2.3
func QuadOverLin(a, y Expr) Expr {
	switch {
	case y.Err() != nil:
		return y
	case y.Len() != 1:
		return failed("quadoverlin with a denominator of shape %v, want a number", y.arr.Shape)
	}
	return a.reduced(func(a Expr) scalar { return applyEntries(atom.QuadOverLin, nil, Stack(y, a).arr) })
}

func powerAtoms() []constructor {
	return []constructor{
		{op: "power", args: 1, data: 1, make: func(args []Expr, data []float64) Expr {
			return Power(args[0], data[0])
		}},
		{op: "pos_power", args: 1, data: 1, make: func(args []Expr, data []float64) Expr {
			if !(data[0] > 1) || math.IsInf(data[0], 1) {
				return failed("pos_power %g, want an exponent > 1", data[0])
			}
			return args[0].each(func(e scalar) scalar { return apply(powerCurve("pos_power", data[0]), e) })
		}},
		{op: "sqrt", args: 1, make: of(Sqrt)},
		{op: "invpos", args: 1, make: of(InvPos)},
	}
}
