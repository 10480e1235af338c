package dc

import "github.com/dcopt/dcopt/internal/graph/atom"

// Exp is eᵘ.
func Exp(u Operand) Expr { return applyTo("exp", u) }

// Logistic is log(1 + eᵘ).
func Logistic(u Operand) Expr { return applyTo("logistic", u) }

// XExp is u·eᵘ on u ≥ 0. It is represented by w ≥ u² and u·exp(w/u) ≤ t.
func XExp(u Operand) Expr { return applyTo("xexp", u) }

// LogSumExp is log Σ exp aₖ.
//
//	arguments  a: an array of any shape
//	curvature  convex
//	sign       any
//	monotone   a: nondecreasing
//	domain     all
//	takes      affine
//	refuses    an array without entries
//	form       exponential cones and rows
//	source     Chares 2009
func LogSumExp(a Affine) Expr { return reduce(atom.LogSumExp, nil, a) }

// LogSumExpOf is LogSumExp of a slice of scalars.
//
//	as         LogSumExp
//	takes      any with a split
//	refuses    no scalars
func LogSumExpOf[T Operand](us []T) Expr { return reduceAny(atom.LogSumExp, nil, exprs(us)) }

func expAtoms() []constructor {
	return []constructor{
		{op: "exp", args: 1, scalar: true, make: ofScalar(Exp)},
		{op: "logistic", args: 1, scalar: true, make: ofScalar(Logistic)},
		{op: "xexp", args: 1, scalar: true, make: ofScalar(XExp)},
	}
}
