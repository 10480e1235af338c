package dc

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/rule"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"gonum.org/v1/gonum/mat"
)

// Quad is aᵀQa. An indefinite Q is split by its eigenvalues: Q = Q₊ − Q₋, both
// positive semidefinite; one of an order above 600 by a multiple of the identity. Where ctx ends
// before the matrix is split, the error of the expression is ctx.Err(): within half a second for
// orders of some thousands.
//
//	arguments  a: an array with n entries; q: symmetric, n × n
//	curvature  convex for positive semidefinite Q, concave for negative semidefinite, else DC
//	sign       nonnegative for positive semidefinite Q, nonpositive for negative semidefinite, else any
//	monotone   a: none
//	domain     all
//	takes      affine
//	refuses    another order of Q than a has entries; entries that are NaN or infinite
//	form       quadratic
//	source     Boyd and Vandenberghe 2004, section 4.4
func Quad(ctx context.Context, a Expr, q mat.Symmetric) Expr {
	if a.err == nil && a.bent() {
		return failed("quad needs affine entries")
	}
	return a.as(func(a expr.Array) expr.Scalar { return rule.Quad(ctx, a.Array, q) })
}

// Sqrt is √u. It restricts u to u ≥ 0.
//
//	arguments  u: an array, entry by entry
//	curvature  concave
//	sign       nonnegative
//	monotone   u: nondecreasing
//	domain     u ≥ 0
//	takes      affine or concave; sums of squares; others whose bounds keep the slope finite; any smooth function
//	refuses    others with kinks; constants < 0
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
//	takes      affine or concave; others whose bounds keep the slope finite; any smooth function
//	refuses    others with kinks; constants ≤ 0
//	form       second-order cone
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2.3
func InvPos(u Expr) Expr { return Power(u, -1) }

// Power is oᵖ. It restricts o to o ≥ 0 unless p is a positive integer. For an odd
// p > 1 and affine o it is a difference: o₊ᵖ − (−o)₊ᵖ; other integer powers are
// products of squares. A power p > 0 of w·v^q with w > 0 and q < 0 is w^p·v^(p·q).
//
//	arguments  o: an array, entry by entry; p: a number
//	curvature  convex for even p, for p < 0 and for p > 1 that are no integers; concave for 0 < p < 1; DC for odd p > 1
//	sign       nonnegative; any for odd p > 0
//	monotone   o: nondecreasing for p > 0, nonincreasing for p < 0, by sign for even p > 0
//	domain     o ≥ 0; o > 0 for p < 0; all for positive integers
//	takes      as the curvature and direction allow; others whose bounds keep the slope finite; any smooth function
//	refuses    a p that is NaN or infinite; others with kinks
//	form       power cone, with rows for p > 1; second-order cone for p = 1/2 and p = −1; quadratic for even p
//	source     Chares 2009, section 4
func Power(o Expr, p float64) Expr {
	return o.each(func(e expr.Scalar) expr.Scalar { return rule.PowerOf(e, p) })
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
	return a.reduced(func(a Expr) expr.Scalar { return expr.ApplyEntries(atom.QuadOverLin, nil, Stack(y, a).arr) })
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
			f := expr.PowerCurve("pos_power", data[0])
			return args[0].each(func(e expr.Scalar) expr.Scalar { return expr.Apply(f, e) })
		}},
		{op: expr.OpQuad, args: 1, data: -1, make: func(args []Expr, data []float64) Expr {
			n := args[0].Len()
			if len(data) != n*n {
				return failed("quad of %d entries with %d numbers, want a matrix of order %d", n, len(data), n)
			}
			for i := range n {
				for j := range i {
					if data[i*n+j] != data[j*n+i] {
						return failed("quad: the matrix has %g and %g at (%d, %d) and its mirror, counted from 0",
							data[i*n+j], data[j*n+i], i, j)
					}
				}
			}
			return Quad(context.Background(), args[0], mat.NewSymDense(n, data))
		}},
		{op: "sqrt", args: 1, make: of(Sqrt)},
		{op: "invpos", args: 1, make: of(InvPos)},
	}
}
