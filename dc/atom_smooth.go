package dc

import (
	"errors"
	"math"
)

// Sin is the sine.
func Sin(u Operand) Expr { return applyTo("sin", u) }

// Cos is the cosine.
func Cos(u Operand) Expr { return applyTo("cos", u) }

// Tan is the tangent. The bounds of the variables must keep u between two of its poles.
func Tan(u Operand) Expr { return applyTo("tan", u) }

// Atan is the inverse of the tangent.
func Atan(u Operand) Expr { return applyTo("atan", u) }

// Tanh is the hyperbolic tangent.
func Tanh(u Operand) Expr { return applyTo("tanh", u) }

// Asinh is the inverse of the hyperbolic sine.
func Asinh(u Operand) Expr { return applyTo("asinh", u) }

// Sigmoid is 1/(1 + e⁻ᵘ), the slope of Logistic.
func Sigmoid(u Operand) Expr { return applyTo("sigmoid", u) }

// Erf is the error function, 2/√π times the integral of exp(−t²) from 0 to u.
func Erf(u Operand) Expr { return applyTo("erf", u) }

// NormCDF is the distribution function of the standard normal distribution.
func NormCDF(u Operand) Expr { return applyTo("normcdf", u) }

// Cosh is (eᵘ + e⁻ᵘ)/2.
func Cosh(u Operand) Expr {
	return by("cosh", u, func(e Expr) Expr { return Exp(e).Add(Exp(e.Neg())).Scale(0.5) })
}

// Sinh is (eᵘ − e⁻ᵘ)/2, a difference of exponentials.
func Sinh(u Operand) Expr {
	return by("sinh", u, func(e Expr) Expr { return Exp(e).Sub(Exp(e.Neg())).Scale(0.5) })
}

// Atanh is the inverse of the hyperbolic tangent, (log(1 + u) − log(1 − u))/2.
func Atanh(u Operand) Expr {
	return by("atanh", u, func(e Expr) Expr { return Log(onePlus(e)).Sub(Log(onePlus(e.Neg()))).Scale(0.5) })
}

// Log1p is log(1 + u), accurate for small u.
func Log1p(u Operand) Expr {
	return by("log1p", u, func(e Expr) Expr { return Log(onePlus(e)) })
}

// Log2 is the logarithm to the base 2.
func Log2(u Operand) Expr {
	return by("log2", u, func(e Expr) Expr { return Log(e).Scale(1 / math.Ln2) })
}

// Log10 is the logarithm to the base 10.
func Log10(u Operand) Expr {
	return by("log10", u, func(e Expr) Expr { return Log(e).Scale(1 / math.Ln10) })
}

// Expm1 is eᵘ − 1, accurate for small u.
func Expm1(u Operand) Expr {
	return by("expm1", u, func(e Expr) Expr { return Exp(e).Add(Linear{Const: -1}) })
}

func onePlus(u Expr) Expr { return u.Add(Linear{Const: 1}) }

// Pow is uᵛ for u > 0, exp(v·log u). If v is a constant it is Power, and if u is one, exp(v·log
// u) of a number log u.
//
//	arguments  u, v: scalars
//	curvature  DC; convex for constant u
//	sign       nonnegative
//	monotone   u: nondecreasing for v ≥ 0; v: none, nondecreasing for constant u ≥ 1
//	domain     u > 0
//	takes      products v·log u whose bounds keep the slope of the exponential finite
//	refuses    arrays; others; constants u ≤ 0
//	form       exponential cones and rows
//	source     Grant, Boyd and Ye 2006
func Pow(u, v Operand) Expr {
	a, b := ToExpr(u), ToExpr(v)
	switch err := errors.Join(a.err, b.err); {
	case err != nil:
		return Expr{err: err}
	case b.IsConst():
		return Power(a, b.split().lin.Const)
	}
	return Exp(Mul(b, Log(a)))
}

func smoothAtoms() []constructor {
	return []constructor{
		{op: "pow", args: 2, scalar: true, make: func(args []Array, _ []float64) Expr {
			return Pow(args[0].Entry(0), args[1].Entry(0))
		}},
		{op: "cosh", args: 1, scalar: true, make: ofScalar(Cosh)},
		{op: "sinh", args: 1, scalar: true, make: ofScalar(Sinh)},
		{op: "atanh", args: 1, scalar: true, make: ofScalar(Atanh)},
		{op: "log1p", args: 1, scalar: true, make: ofScalar(Log1p)},
		{op: "log2", args: 1, scalar: true, make: ofScalar(Log2)},
		{op: "log10", args: 1, scalar: true, make: ofScalar(Log10)},
		{op: "expm1", args: 1, scalar: true, make: ofScalar(Expm1)},
	}
}
