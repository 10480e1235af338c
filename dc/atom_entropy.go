package dc

import (
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Entropy is −u·log u, 0 at u = 0. It restricts u to u ≥ 0.
func Entropy(u Expr) Expr { return u.apply("entr") }

// openEntropy is Entropy without a value at 0, as a logarithm that is written has none.
func openEntropy(u scalar) scalar { return apply(powerCurve("entr", 1).neg(), u).Neg() }

// KL is the divergence u·log(u/v) − u + v. It restricts u and v to u, v ≥ 0.
//
//	arguments  u, v: arrays, entry by entry
//	curvature  convex
//	sign       nonnegative
//	monotone   u: none; v: none
//	domain     u ≥ 0, v > 0
//	takes      affine
//	refuses    others; constants outside the domain
//	form       exponential cone
//	source     Chares 2009
func KL(u, v Expr) Expr {
	return pairwise("kl", u, v, func(u, v scalar) scalar { return divergence(u, v, false) })
}

// divergence is KL; open: without a value at u = 0, as a logarithm that is written has none.
func divergence(u, v scalar, open bool) scalar {
	var p []float64
	if open {
		p = []float64{1}
	}
	return applyEntries(atom.KL, p, listOf([]int{2}, []scalar{u, v}))
}

// logArgument is the affine u of f = −log u.
func logArgument(f convex.Func) (convex.Linear, bool) {
	c, ok := f.(*curveAtom)
	if !ok || c.own != nil {
		return convex.Linear{}, false
	}
	return c.e().lin, c.f.neg().is("log") && c.e().isAffineNow()
}
