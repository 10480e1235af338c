package dc

import "github.com/dcopt/dcopt/internal/graph/atom"

// SumLargest is the sum of the k largest entries of a. Of equal entries those with
// lower index count.
//
//	arguments  a: an array with n entries; 1 ≤ k ≤ n
//	curvature  convex
//	sign       any
//	monotone   a: nondecreasing
//	domain     all
//	takes      affine
//	refuses    k < 1 or k > n
//	form       rows
//	source     Boyd and Vandenberghe 2004, exercise 5.19
func SumLargest(a Affine, k int) Expr {
	if err := a.Err(); err != nil {
		return Expr{err: err}
	}
	if k < 1 || k > a.Len() {
		return badExpr("the sum of the %d largest of %d entries", k, a.Len())
	}
	if k == a.Len() {
		return a.Sum().expr()
	}
	return reduce(atom.SumLargest, []float64{float64(k)}, a)
}

// SumLargestOf is SumLargest of a slice of scalars. Of DC functions, with H = Σ hⱼ,
// it is that of gᵢ + Σ_{j≠i} hⱼ, all convex, less k·H.
//
//	as         SumLargest
//	takes      any with a split
//	refuses    k < 1 or k > n
func SumLargestOf[T Operand](us []T, k int) Expr {
	es, lins := toExprs(us)
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
	switch {
	case k < 1 || k > len(es):
		return badExpr("the sum of the %d largest of %d entries", k, len(es))
	case affine:
		return SumLargest(Entries(lins...), k)
	case k == len(es):
		return sumExprs(es)
	}
	lifted, all, lifts := liftAll(nil, parts)
	if lifts {
		parts = lifted
	}
	p := []float64{float64(k)}
	top := newComposed(atom.SumLargest, p, parts)
	if plain {
		top.items = es
		return convex(top, ownerOf(es...))
	}
	s := convexSplit(top)
	if lifts {
		s = addSplits([]split{s, all}, 1, -float64(k))
	}
	return asWritten(atom.SumLargest, p, s, es)
}
