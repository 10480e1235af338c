package dc

import (
	"cmp"
	"slices"

	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/num"
)

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
	return a.groups(func(a array) scalar { return sumLargest(a, k) })
}

// sumLargest of DC functions, with H = Σ hⱼ, is the one of gᵢ + Σ_{j≠i} hⱼ, all convex, less k·H.
func sumLargest(a array, k int) scalar {
	switch {
	case k < 1 || k > a.Len():
		return badExpr("the sum of the %d largest of %d entries", k, a.Len())
	case k == a.Len():
		return a.sum()
	case !a.bent():
		return reduce(atom.SumLargest, []float64{float64(k)}, a.Array)
	}
	es := a.fs
	affine, plain := true, true
	parts := make([]split, 0, len(es))
	for _, e := range es {
		if e.err != nil {
			return e
		}
		s := e.split()
		affine, plain = affine && s.isAffine(), plain && !e.composite && s.isConvex()
		parts = append(parts, *s)
	}
	if affine {
		return reduce(atom.SumLargest, []float64{float64(k)}, affineParts(es))
	}
	lifted, all, lifts := liftAll(nil, parts)
	if lifts {
		parts = lifted
	}
	p := []float64{float64(k)}
	top := newComposed(atom.SumLargest, p, parts)
	if plain {
		top.items = es
		return convexOf(top, ownerOf(es...))
	}
	s := convexSplit(top)
	if lifts {
		s = addSplits([]split{s, all}, 1, -float64(k))
	}
	return asWritten(atom.SumLargest, p, s, es)
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
	return a.groups(func(a array) scalar { return dotSort(a, w) })
}

func dotSort(a array, w []float64) scalar {
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
		if !num.Finite(d) {
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
