package dc

import (
	"cmp"
	"slices"
)

// DotSort is the sum of aₖ·wₖ with the entries of a and the weights w both sorted
// ascending: the largest inner product of a with a permutation of w. With w descending it
// is Σ (wₖ − wₖ₊₁)·SumLargest(a, k).
//
//	arguments  a: an array with n entries; w: n numbers
//	curvature  convex
//	sign       any
//	monotone   a: nondecreasing for w ≥ 0
//	domain     all
//	takes      affine
//	refuses    other numbers of weights; infinite or NaN ones
//	form       rows
//	source     Boyd and Vandenberghe 2004, exercise 5.19
func DotSort(a Affine, w []float64) Expr {
	return dotSort(a.Len(), w, func(k int) Expr { return SumLargest(a, k) })
}

// DotSortOf is DotSort of a slice of scalars.
//
//	as         DotSort
//	takes      any with a split
//	refuses    other numbers of weights; infinite or NaN ones
func DotSortOf[T Operand](us []T, w []float64) Expr {
	return dotSort(len(us), w, func(k int) Expr { return SumLargestOf(us, k) })
}

func dotSort(n int, w []float64, largest func(k int) Expr) Expr {
	if len(w) != n {
		return badExpr("dotsort of %d entries with %d weights", n, len(w))
	}
	w = slices.Clone(w)
	slices.SortFunc(w, func(a, b float64) int { return cmp.Compare(b, a) })
	var parts []Expr
	for k := range w {
		d := w[k]
		if k+1 < n {
			d -= w[k+1]
		}
		if !finite(d) {
			return badExpr("dotsort with weights that are not finite")
		}
		if d != 0 {
			parts = append(parts, largest(k+1).Scale(d))
		}
	}
	if len(parts) == 0 {
		return Expr{}
	}
	return sumExprs(parts)
}
