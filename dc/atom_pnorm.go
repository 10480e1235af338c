package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/graph/atom"
)

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
