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
//	takes      affine
//	refuses    an array without entries; negative constants
//	form       second-order cones for 2, 4, 8, ... entries, else power cones
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2.3; Chares 2009, section 4
func GeoMean(a Affine) Expr { return reduce(atom.GeoMean, nil, a) }

// GeoMeanOf is GeoMean of a slice of scalars.
//
//	as         GeoMean
//	takes      affine or concave
//	refuses    others; no scalars
func GeoMeanOf[T Operand](us []T) Expr { return reduceAny(atom.GeoMean, nil, exprs(us)) }

// WeightedGeoMean is the product of the entries of a to the powers wₖ/Σw. It
// restricts entries with a positive weight to aₖ ≥ 0; others do not count.
//
//	arguments  a: an array with n entries; w: n numbers ≥ 0
//	curvature  concave
//	sign       nonnegative
//	monotone   a: nondecreasing
//	domain     aₖ ≥ 0 where wₖ > 0
//	takes      affine
//	refuses    another number of weights than entries; negative, infinite or no positive weights
//	form       power cones
//	source     Chares 2009, section 4
func WeightedGeoMean(a Affine, w []float64) Expr {
	if err := a.Err(); err != nil {
		return Expr{err: err}
	}
	powers, used, err := shares(a.Len(), w)
	if err != nil {
		return Expr{err: err}
	}
	a = a.Select([]int{len(used)}, used)
	return reduce(atom.WeightedGeoMean, powers, a)
}

// WeightedGeoMeanOf is WeightedGeoMean of a slice of scalars.
//
//	as         WeightedGeoMean
//	takes      affine or concave
//	refuses    others; weights as WeightedGeoMean
func WeightedGeoMeanOf[T Operand](us []T, w []float64) Expr {
	powers, used, err := shares(len(us), w)
	if err != nil {
		return Expr{err: err}
	}
	ops := make([]T, len(used))
	for i, k := range used {
		ops[i] = us[k]
	}
	return reduceAny(atom.WeightedGeoMean, powers, exprs(ops))
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
