package dc

import "github.com/dcopt/dcopt/internal/graph/atom"

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

func expOf(e scalar) scalar { return applyTo("exp", e) }

func expAtoms() []constructor {
	return []constructor{
		{op: "exp", args: 1, make: of(Exp)},
		{op: "logistic", args: 1, make: of(Logistic)},
		{op: "xexp", args: 1, make: of(XExp)},
	}
}
