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
//	takes      any with a split
//	refuses    other numbers of weights; infinite or NaN ones
//	form       rows
//	source     Boyd and Vandenberghe 2004, exercise 5.19
func DotSort(a Expr, w []float64) Expr {
	return a.reduced(func(a Expr) scalar { return dotSort(a, w) })
}

func dotSort(a Expr, w []float64) scalar {
	n := a.Len()
	if len(w) != n {
		return badExpr("dotsort of %d entries with %d weights", n, len(w))
	}
	w = slices.Clone(w)
	slices.SortFunc(w, func(a, b float64) int { return cmp.Compare(b, a) })
	var parts []scalar
	for k := range w {
		d := w[k]
		if k+1 < n {
			d -= w[k+1]
		}
		if !finite(d) {
			return badExpr("dotsort with weights that are not finite")
		}
		if d != 0 {
			parts = append(parts, sumLargest(a, k+1).Scale(d))
		}
	}
	if len(parts) == 0 {
		return scalar{}
	}
	return sumExprs(parts)
}
