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
	return a.fold(atom.Norm1, func(a array) scalar { return sumOfEach(atom.Norm1, a) })
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
	return a.groups(func(a array) scalar { return normP(a, p) })
}

func normP(a array, p float64) scalar {
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

// GeoMean is the geometric mean of the entries of a. It restricts them to aₖ ≥ 0.
//
//	arguments  a: an array of any shape
//	curvature  concave
//	sign       nonnegative
//	monotone   a: nondecreasing
//	domain     aₖ ≥ 0
//	takes      affine or concave
//	refuses    others; an array without entries; negative constants
//	form       second-order cones for 2, 4, 8, ... entries, else power cones
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2.3; Chares 2009, section 4
func GeoMean(a Expr) Expr { return a.row(atom.GeoMean) }

// WeightedGeoMean is the product of the entries of a to the powers wₖ/Σw. It
// restricts entries with a positive weight to aₖ ≥ 0; others do not count.
//
//	arguments  a: an array with n entries; w: n numbers ≥ 0
//	curvature  concave
//	sign       nonnegative
//	monotone   a: nondecreasing
//	domain     aₖ ≥ 0 where wₖ > 0
//	takes      affine or concave
//	refuses    others; another number of weights than entries; negative, infinite or no positive weights
//	form       power cones
//	source     Chares 2009, section 4
func WeightedGeoMean(a Expr, w []float64) Expr {
	return a.groups(func(a array) scalar { return weightedGeoMean(a, w) })
}

func weightedGeoMean(a array, w []float64) scalar {
	powers, used, err := shares(a.Len(), w)
	if err != nil {
		return scalar{err: err}
	}
	return applyEntries(atom.WeightedGeoMean, powers, a.take(used))
}

// shares are the positive weights, to the sum 1, and their places.
func shares(n int, w []float64) (powers []float64, used []int, err error) {
	if len(w) != n {
		return nil, nil, badExpr("a weighted mean of %d entries with %d weights", n, len(w)).err
	}
	total := 0.0
	for k, v := range w {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, nil, badExpr("a weighted mean with the weight %g; want numbers >= 0", v).err
		}
		if v > 0 {
			total, used = total+v, append(used, k)
		}
	}
	if !(total > 0) || math.IsInf(total, 1) {
		return nil, nil, badExpr("a weighted mean with weights of sum %g", total).err
	}
	for _, k := range used {
		powers = append(powers, w[k]/total)
	}
	return powers, used, nil
}
