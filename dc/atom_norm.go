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
//	takes      any with a split
//	refuses    nothing
//	form       rows
//	source     Boyd and Vandenberghe 2004, section 6.1.1
func Norm1(a Expr) Expr {
	return a.fold(atom.Norm1, func(a Expr) scalar { return sumOfEach(atom.Norm1, a) })
}

// Norm2 is the Euclidean norm of the entries of a. At zero its subgradient is
// the one along the direction with equal parts of all entries: a linearisation
// there still says "move away", where the zero subgradient would say nothing.
//
//	arguments  a: an array of any shape
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      any with a split
//	refuses    nothing
//	form       second-order cone
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2
func Norm2(a Expr) Expr { return a.row(atom.Norm2) }

// NormP is the p-norm of the entries of a, (Σ |aₖ|ᵖ)^(1/p); for p = +Inf it is
// NormInf. At zero its subgradient is the one along the direction with equal parts
// of all entries, as of Norm2.
//
//	arguments  a: an array of any shape; p ≥ 1, or +Inf
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      any with a split
//	refuses    p < 1
//	form       power cones and rows; second-order cone for p = 2
//	source     Chares 2009, section 4
func NormP(a Expr, p float64) Expr {
	return a.reduced(func(a Expr) scalar { return normP(a, p) })
}

func normP(a Expr, p float64) scalar {
	switch {
	case !(p >= 1):
		return badExpr("the norm of order %g; want at least 1", p)
	case p == 1:
		return sumOfEach(atom.Norm1, a)
	case p == 2:
		return applyEntries(atom.Norm2, nil, a)
	case math.IsInf(p, 1):
		return normInf(a)
	}
	return applyEntries(atom.NormP, []float64{p}, a)
}
