package dc

import (
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
)

// The functions below are of expressions of one entry. An error counts as the constant 0.

// Evaluate is Value with a bound of its rounding error: the exact value lies within
// value ± bound. The bound is 0 or more, +Inf where nothing can be said.
func (a Expr) Evaluate(x []float64) (value, bound float64) {
	e := a.one()
	return e.Evaluate(x)
}

// AddGradient adds scale times the gradient at x to dst, of length Problem.NumVars(), and returns
// the value. At a kink the gradient belongs to a function which is nowhere far from a near x: of a
// piece, or a difference of subgradients.
func (a Expr) AddGradient(dst []float64, scale float64, x []float64) (value float64) {
	if len(a.arr.fs) == 1 {
		return a.arr.fs[0].AddGradient(dst, scale, x)
	}
	return a.one().AddGradient(dst, scale, x)
}

// Range is an interval that holds the values wherever the variables are within their bounds.
func (a Expr) Range() interval.Interval { return a.one().Range() }

// G is the convex part, the affine part included. It is a Representer unless
// an Oracle or another function without representation is in it; see
// Unrepresentable.
func (a Expr) G() convex.Representer { return a.one().G() }

// H is the convex part that is subtracted: the expression is G − H.
func (a Expr) H() convex.Func { return a.one().H() }

// HasSplit reports whether a is known as a difference of convex functions. Of others, smooth
// functions without bounds of their second derivatives, as quotients through 0, are linearised
// without the guarantees of a split.
func (a Expr) HasSplit() bool { return a.one().HasSplit() }

// Unrepresentable returns a function in g that has values and subgradients
// only, so that it could only be an h; nil if there is none.
func (a Expr) Unrepresentable() convex.Func { return a.one().Unrepresentable() }

// Function is a as one function, as it was written: its values and gradients, for
// code that takes a Convex, which a need not be. More that it can do is found by
// assertion.
func (a Expr) Function() convex.Func { return function{a.one()} }

// Written is a as it was written: an affine function plus weighted atoms.
func (a Expr) Written() (affine convex.Linear, terms []Term) { return a.one().Written() }

// function is an expression as one function: see Expr.Function.
type function struct{ e scalar }

func (f function) Value(x []float64) float64 { return f.e.Value(x) }
func (f function) Support() []int            { return f.e.support() }
func (f function) Smooth() bool              { return f.e.smooth() }

func (f function) AddSubgrad(dst []float64, scale float64, x []float64) {
	f.e.AddGradient(dst, scale, x)
}

// Along returns values of the function of n variables where one of these changes at a
// time, an alongAxes.
func (f function) Along(n int) any { return newAlongAxes(&f.e, n) }

// Coefficients is about how many coefficients a value visits.
func (f function) Coefficients() int {
	n := len(f.e.lin.Idx)
	for _, t := range f.e.terms {
		switch g := t.f.(type) {
		case many:
			n += g.coefficients()
		default:
			if r, ok := g.(*vectorAtom); ok && r.a != nil {
				n += len(r.a.Idx)
			} else {
				n += len(t.f.Support())
			}
		}
	}
	return n
}
