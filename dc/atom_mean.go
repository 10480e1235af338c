package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/graph/atom"
)

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
	return a.reduced(func(a Expr) scalar { return weightedGeoMean(a, w) })
}

func weightedGeoMean(a Expr, w []float64) scalar {
	powers, used, err := shares(a.Len(), w)
	if err != nil {
		return scalar{err: err}
	}
	return applyEntries(atom.WeightedGeoMean, powers, a.Select([]int{len(used)}, used))
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
