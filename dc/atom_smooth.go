package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/rule"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Entropy is −u·log u, 0 at u = 0. It restricts u to u ≥ 0.
func Entropy(u Expr) Expr { return u.apply("entr") }

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
	return pairwise("kl", u, v, func(u, v expr.Scalar) expr.Scalar { return rule.Divergence(u, v, false) })
}

// Log is the natural logarithm. It restricts u to u ≥ 0.
func Log(u Expr) Expr { return u.each(rule.LogOf) }

// Exp is eᵘ.
func Exp(u Expr) Expr { return u.apply("exp") }

// Logistic is log(1 + eᵘ).
func Logistic(u Expr) Expr { return u.apply("logistic") }

// XExp is u·eᵘ on u ≥ 0. It is represented by w ≥ u² and u·exp(w/u) ≤ t.
func XExp(u Expr) Expr { return u.apply("xexp") }

// LogSumExp is log Σ exp aₖ.
//
//	arguments  a: an array of any shape
//	curvature  convex
//	sign       any
//	monotone   a: nondecreasing
//	domain     all
//	takes      any with a split
//	refuses    an array without entries
//	form       exponential cones and rows
//	source     Chares 2009
func LogSumExp(a Expr) Expr { return a.row(atom.LogSumExp) }

// Sin is the sine.
func Sin(u Expr) Expr { return u.apply("sin") }

// Cos is the cosine.
func Cos(u Expr) Expr { return u.apply("cos") }

// Tan is the tangent. The bounds of the variables must keep u between two of its poles.
func Tan(u Expr) Expr { return u.apply("tan") }

// Atan is the inverse of the tangent.
func Atan(u Expr) Expr { return u.apply("atan") }

// Tanh is the hyperbolic tangent.
func Tanh(u Expr) Expr { return u.apply("tanh") }

// Asinh is the inverse of the hyperbolic sine.
func Asinh(u Expr) Expr { return u.apply("asinh") }

// Sigmoid is 1/(1 + e⁻ᵘ), the slope of Logistic.
func Sigmoid(u Expr) Expr { return u.apply("sigmoid") }

// Erf is the error function, 2/√π times the integral of exp(−t²) from 0 to u.
func Erf(u Expr) Expr { return u.apply("erf") }

// NormCDF is the distribution function of the standard normal distribution.
func NormCDF(u Expr) Expr { return u.apply("normcdf") }

// Cosh is (eᵘ + e⁻ᵘ)/2.
func Cosh(u Expr) Expr {
	return u.by("cosh", func(e expr.Scalar) expr.Scalar { return rule.ExpOf(e).Add(rule.ExpOf(e.Neg())).Scale(0.5) })
}

// Sinh is (eᵘ − e⁻ᵘ)/2, a difference of exponentials.
func Sinh(u Expr) Expr {
	return u.by("sinh", func(e expr.Scalar) expr.Scalar { return rule.ExpOf(e).Sub(rule.ExpOf(e.Neg())).Scale(0.5) })
}

// Atanh is the inverse of the hyperbolic tangent, (log(1 + u) − log(1 − u))/2.
func Atanh(u Expr) Expr {
	return u.by("atanh", func(e expr.Scalar) expr.Scalar {
		return rule.LogOf(e.Shift(1)).Sub(rule.LogOf(e.Neg().Shift(1))).Scale(0.5)
	})
}

// Log1p is log(1 + u), accurate for small u.
func Log1p(u Expr) Expr {
	return u.by("log1p", func(e expr.Scalar) expr.Scalar { return rule.LogOf(e.Shift(1)) })
}

// Log2 is the logarithm to the base 2.
func Log2(u Expr) Expr {
	return u.by("log2", func(e expr.Scalar) expr.Scalar { return rule.LogOf(e).Scale(1 / math.Ln2) })
}

// Log10 is the logarithm to the base 10.
func Log10(u Expr) Expr {
	return u.by("log10", func(e expr.Scalar) expr.Scalar { return rule.LogOf(e).Scale(1 / math.Ln10) })
}

// Expm1 is eᵘ − 1, accurate for small u.
func Expm1(u Expr) Expr {
	return u.by("expm1", func(e expr.Scalar) expr.Scalar { return rule.ExpOf(e).Shift(-1) })
}

// by is by of every entry.
func (a Expr) by(name string, same func(expr.Scalar) expr.Scalar) Expr {
	return a.each(func(e expr.Scalar) expr.Scalar { return expr.By(name, e, same) })
}

// Pow is uᵛ for u > 0, exp(v·log u). If v is a constant it is Power, and if u is one, exp(v·log
// u) of a number log u.
//
//	arguments  u, v: arrays, entry by entry
//	curvature  DC; convex for constant u
//	sign       nonnegative
//	monotone   u: nondecreasing for v ≥ 0; v: none, nondecreasing for constant u ≥ 1
//	domain     u > 0
//	takes      u and v whose product v·log u is smooth, or has bounds that keep the slope of the exponential finite
//	refuses    others with kinks; constants u ≤ 0
//	form       exponential cones and rows
//	source     Grant, Boyd and Ye 2006
func Pow(u, v Expr) Expr { return pairwise("power", u, v, rule.PowOf) }

func smoothAtoms() []constructor {
	return []constructor{
		{op: "pow", args: 2, make: ofTwo(Pow)},
		{op: "log", args: 1, make: of(Log)},
		{op: "cosh", args: 1, make: of(Cosh)},
		{op: "sinh", args: 1, make: of(Sinh)},
		{op: "atanh", args: 1, make: of(Atanh)},
		{op: "log1p", args: 1, make: of(Log1p)},
		{op: "log2", args: 1, make: of(Log2)},
		{op: "log10", args: 1, make: of(Log10)},
		{op: "expm1", args: 1, make: of(Expm1)},
	}
}
