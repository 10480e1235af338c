package rule

import (
	"cmp"
	"slices"

	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/num"
)

// SumLargest of DC functions, with H = Σ hⱼ, is the one of gᵢ + Σ_{j≠i} hⱼ, all convex, less k·H.
func SumLargest(a expr.Array, k int) expr.Scalar {
	switch {
	case k < 1 || k > a.Len():
		return expr.Failed("the sum of the %d largest of %d entries", k, a.Len())
	case k == a.Len():
		return a.Sum()
	case !a.Bent():
		return expr.Reduce(atom.SumLargest, []float64{float64(k)}, a.Array)
	}
	es := a.Fs
	affine, plain := true, true
	parts := make([]expr.Split, 0, len(es))
	for _, e := range es {
		if e.Err != nil {
			return e
		}
		s := e.Split()
		affine, plain = affine && s.IsAffine(), plain && !e.Composite && s.IsConvex()
		parts = append(parts, *s)
	}
	if affine {
		return expr.Reduce(atom.SumLargest, []float64{float64(k)}, expr.AffineParts(es))
	}
	lifted, all, lifts := expr.LiftAll(nil, parts)
	if lifts {
		parts = lifted
	}
	p := []float64{float64(k)}
	top := expr.NewComposed(atom.SumLargest, p, parts)
	if plain {
		top.Args.Fs = es
		return expr.ConvexOf(top, expr.OwnerOf(es...))
	}
	s := expr.ConvexSplit(top)
	if lifts {
		s = expr.AddSplits([]expr.Split{s, all}, 1, -float64(k))
	}
	return expr.AsWritten(atom.SumLargest, p, s, expr.Array{Fs: es})
}

// DotSort is the inner product of the entries and w, both in descending order.
func DotSort(a expr.Array, w []float64) expr.Scalar {
	n := a.Len()
	if len(w) != n {
		return expr.Failed("dotsort of %d entries with %d weights", n, len(w))
	}
	w = slices.Clone(w)
	slices.SortFunc(w, func(a, b float64) int { return cmp.Compare(b, a) })
	var parts []expr.Scalar
	for k := range w {
		d := w[k]
		if k+1 < n {
			d -= w[k+1]
		}
		if !num.Finite(d) {
			return expr.Failed("dotsort with weights that are not finite")
		}
		if d != 0 {
			parts = append(parts, SumLargest(a, k+1).Scale(d))
		}
	}
	if len(parts) == 0 {
		return expr.Scalar{}
	}
	return expr.SumOf(parts)
}
