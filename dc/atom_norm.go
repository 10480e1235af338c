package dc

import (
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/rule"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Huber is the sum over the entries of aₖ² where |aₖ| ≤ m and 2m|aₖ| − m² beyond.
//
//	arguments  a: an array of any shape; m > 0, finite
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      any with a split
//	refuses    m ≤ 0, infinite or NaN
//	form       quadratic and rows
//	source     Huber 1964; form: Mangasarian and Musicant 2000
func Huber(a Expr, m float64) Expr {
	return a.groups(func(a expr.Array) expr.Scalar { return rule.Huber(a, m) })
}

// SumLargest is the sum of the k largest entries of a. Of equal entries those with
// lower index count.
//
//	arguments  a: an array with n entries; 1 ≤ k ≤ n
//	curvature  convex
//	sign       any
//	monotone   a: nondecreasing
//	domain     all
//	takes      any with a split
//	refuses    k < 1 or k > n
//	form       rows
//	source     Boyd and Vandenberghe 2004, exercise 5.19
func SumLargest(a Expr, k int) Expr {
	return a.groups(func(a expr.Array) expr.Scalar { return rule.SumLargest(a, k) })
}

// DotSort is the sum of aₖ·wₖ with the entries of a and the weights w both sorted
// ascending: the largest inner product of a with a permutation of w. With w descending it
// is Σ (wₖ − wₖ₊₁)·SumLargest(a, k).
//
//	arguments  a: an array with n entries; w: n numbers
//	curvature  convex
//	sign       any
//	monotone   a: nondecreasing for w ≥ 0
//	domain     all
//	takes      any with a split
//	refuses    other numbers of weights; infinite or NaN ones
//	form       rows
//	source     Boyd and Vandenberghe 2004, exercise 5.19
func DotSort(a Expr, w []float64) Expr {
	return a.groups(func(a expr.Array) expr.Scalar { return rule.DotSort(a, w) })
}

// Max is the largest of all entries of all arrays, or along an axis of one: see Expr.Along. Of DC
// functions it is DC: maxᵢ(gᵢ − hᵢ) = maxᵢ(gᵢ + Σ_{j≠i} hⱼ) − Σⱼ hⱼ. Where several entries attain
// the maximum, the subgradient belongs to the first.
//
//	arguments  us: arrays of any shapes
//	curvature  convex
//	sign       any
//	monotone   us: nondecreasing
//	domain     all
//	takes      any with a split
//	refuses    no entries
//	form       rows
//	source     Boyd and Vandenberghe 2004, section 4.3.1; split: Horst and Thoai 1999, proposition 2.1
func Max(us ...Expr) Expr {
	return joined(us).fold(atom.Max, func(a expr.Array) expr.Scalar { return rule.MaxExprs(a.Scalars()) })
}

// Min is the least of all entries of all arrays, or along an axis of one: the negative of Max of
// the negatives.
//
//	arguments  us: arrays of any shapes
//	curvature  concave
//	sign       any
//	monotone   us: nondecreasing
//	domain     all
//	takes      any with a split
//	refuses    no entries
//	form       rows
//	source     Boyd and Vandenberghe 2004, section 4.3.1
func Min(us ...Expr) Expr {
	return joined(us).fold(atom.Min, func(a expr.Array) expr.Scalar { return rule.MinExprs(a.Scalars()) })
}

// Abs is |o|; of a DC function 2·max(g, h) − (g + h). At zero the subgradient of
// |o|, o affine, is 0.
func Abs(o Expr) Expr { return o.each(expr.AbsOf) }

// Pos is max(e, 0), the positive part.
func Pos(e Expr) Expr {
	return e.each(func(e expr.Scalar) expr.Scalar { return rule.MaxExprs([]expr.Scalar{e, {}}) })
}

// NormInf is the largest |aₖ|; 0 without entries.
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
func NormInf(a Expr) Expr { return a.groups(rule.NormInf) }

func normAtoms() []constructor {
	return []constructor{
		{op: "abs", args: 1, make: of(Abs)},
		{op: "pos", args: 1, make: of(Pos)},
		{op: "norminf", args: 1, make: of(NormInf)},
		{op: "square", args: 1, make: of(Square)},
	}
}

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
	return a.fold(atom.Norm1, func(a expr.Array) expr.Scalar { return rule.SumOfEach(atom.Norm1, a) })
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
	return a.groups(func(a expr.Array) expr.Scalar { return rule.NormP(a, p) })
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
	return a.groups(func(a expr.Array) expr.Scalar { return rule.WeightedGeoMean(a, w) })
}

// SumSquares is the sum of aₖ², ‖a‖².
//
//	arguments  a: an array of any shape
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      any whose squares have splits
//	refuses    others
//	form       quadratic
//	source     as a bound, a second-order cone: Lobo, Vandenberghe, Boyd and Lebret 1998, section 2.3
func SumSquares(a Expr) Expr {
	return a.fold(atom.SumSquares, func(a expr.Array) expr.Scalar { return rule.SumOfEach(atom.SumSquares, a) })
}

// Square is o². Of a convex o ≥ 0, or a concave o ≤ 0, it is convex; see
// squareSplit for all others, of which it refuses those without a bound that it needs.
func Square(o Expr) Expr { return o.each(rule.SquareOf) }
