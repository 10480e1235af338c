package dc

import "github.com/dcopt/dcopt/internal/graph/atom"

// Entropy is −u·log u, 0 at u = 0. It restricts u to u ≥ 0.
func Entropy(u Operand) Expr { return applyTo("entr", u) }

// openEntropy is Entropy without a value at 0, as a logarithm that is written has none.
func openEntropy(u Expr) Expr { return apply(powerCurve("entr", 1).neg(), u).Neg() }

// KL is the divergence u·log(u/v) − u + v. It restricts u and v to u, v ≥ 0.
//
//	arguments  u, v: scalars
//	curvature  convex
//	sign       nonnegative
//	monotone   u: none; v: none
//	domain     u ≥ 0, v > 0
//	takes      affine
//	refuses    arrays; constants outside the domain
//	form       exponential cone
//	source     Chares 2009
func KL(u, v Affine) Expr { return divergence(u, v, false) }

// divergence is KL; open: without a value at u = 0, as a logarithm that is written has none.
func divergence(u, v Affine, open bool) Expr {
	a := Stack(u, v)
	if err := a.Err(); err != nil {
		return Expr{err: err}
	}
	if u.Len() != 1 || v.Len() != 1 {
		return badExpr("kl of shapes %v and %v, want scalars", u.shape, v.shape)
	}
	if open {
		return reduce(atom.KL, []float64{1}, a)
	}
	return reduce(atom.KL, nil, a)
}

// logArgument is the affine u of f = −log u.
func logArgument(f Convex) (Linear, bool) {
	c, ok := f.(*curveAtom)
	if !ok || c.own != nil {
		return Linear{}, false
	}
	return c.e().lin, c.f.neg().is("log") && c.e().isAffineNow()
}
