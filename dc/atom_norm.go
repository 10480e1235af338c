package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Norm1 is the sum of |aₖ|. At aₖ = 0 the subgradient of |aₖ| is 0.
//
//	arguments  a: an array of any shape
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      affine
//	refuses    nothing
//	form       rows
//	source     Boyd and Vandenberghe 2004, section 6.1.1
func Norm1(a Affine) Expr { return reduce(atom.Norm1, nil, a) }

// Norm2 is the Euclidean norm of the entries of a. At zero its subgradient is
// the one along the direction with equal parts of all entries: a linearisation
// there still says "move away", where the zero subgradient would say nothing.
//
//	arguments  a: an array of any shape
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      affine
//	refuses    nothing
//	form       second-order cone
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2
func Norm2(a Affine) Expr { return reduce(atom.Norm2, nil, a) }

// Norm2Of is Norm2 of a slice of scalars.
//
//	as         Norm2
//	takes      any with a split
//	refuses    nothing
func Norm2Of[T Operand](us []T) Expr { return reduceAny(atom.Norm2, nil, exprs(us)) }

// NormP is the p-norm of the entries of a, (Σ |aₖ|ᵖ)^(1/p); for p = +Inf it is
// NormInf. At zero its subgradient is the one along the direction with equal parts
// of all entries, as of Norm2.
//
//	arguments  a: an array of any shape; p ≥ 1, or +Inf
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      affine
//	refuses    p < 1
//	form       power cones and rows; second-order cone for p = 2
//	source     Chares 2009, section 4
func NormP(a Affine, p float64) Expr {
	switch {
	case a.Err() != nil:
		return Expr{err: a.Err()}
	case !(p >= 1):
		return badExpr("the norm of order %g; want at least 1", p)
	case p == 1:
		return Norm1(a)
	case p == 2:
		return Norm2(a)
	case math.IsInf(p, 1):
		return NormInf(a)
	}
	return reduce(atom.NormP, []float64{p}, a)
}

// NormPOf is NormP of a slice of scalars.
//
//	as         NormP
//	takes      any with a split
//	refuses    p < 1
func NormPOf[T Operand](us []T, p float64) Expr {
	switch {
	case !(p >= 1):
		return badExpr("the norm of order %g; want at least 1", p)
	case p == 1:
		return sumOfEach(atom.Norm1, exprs(us))
	case p == 2:
		return Norm2Of(us)
	case math.IsInf(p, 1):
		return normInf(&Array{exprs: exprs(us)})
	}
	return reduceAny(atom.NormP, []float64{p}, exprs(us))
}

// sumOfEach is the sum of |eₖ|, or of eₖ².
func sumOfEach(row *atom.Reduce, es []Expr) Expr {
	if allAffine(es) {
		return reduceAny(row, nil, es)
	}
	parts := make([]Expr, len(es))
	for k, e := range es {
		if parts[k] = Abs(e); row == atom.SumSquares {
			parts[k] = Square(e)
		}
	}
	return sumExprs(parts)
}
