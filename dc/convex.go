package dc

import "sync"

// Convex is all that CCP needs of an h: a convex function of the model's
// variables, x in the order in which the model made them. Implementations are
// safe for use by several goroutines and do not allocate.
type Convex interface {
	// Value is the function at x, +Inf outside its domain.
	Value(x []float64) float64
	// AddSubgrad adds scale times a subgradient at x to dst, of x's length. At
	// a kink the choice is deterministic.
	AddSubgrad(dst []float64, scale float64, x []float64)
	// Support lists, ascending, the variables that the function depends on.
	Support() []int
}

// withValue is implemented by functions that have their value on the way to a subgradient: it is
// AddSubgrad, and returns Value.
type withValue interface {
	addGradient(dst []float64, scale float64, x []float64) float64
}

// smooth reports whether f has a gradient wherever it has subgradients, norms at 0
// aside. Functions with a method Smooth say so; others count as not smooth.
func smooth(f Convex) bool {
	if _, ok := f.(Linear); ok {
		return true
	}
	s, ok := f.(interface{ Smooth() bool })
	return ok && s.Smooth()
}

// parts is implemented by functions of convex functions.
type parts interface{ parts() []Convex }

// scalar is a function as it was written: an affine part and a sum of weighted functions of either
// sign. Value computes it as it stands. The split that CCP needs, a split into g − h with convex g
// and h, follows from it. The zero value is the constant 0.
type scalar struct {
	lin   Linear
	terms []term
	// lazy holds the split; nil: it is not kept.
	lazy *lazySplit
	// composite: the split is not just the terms by their sign, as some are not
	// convex by themselves, or may be merged.
	composite bool
	of        *space // of the terms
	err       error
}

// term is w·f.
type term struct {
	w float64
	f Convex
}

// lazySplit is the split of a sum, computed when it is first asked for.
type lazySplit struct {
	once sync.Once
	s    split
}

// split is a difference of convex functions, lin + Σ g − Σ h, all weights
// positive. Horst and Thoai 1999 is the source of most rules that make one.
type split struct {
	lin     Linear
	g, h    []term
	touches bool // a majorant is among g
	// rate is the derivative of the split by the function where both are 0; 0 stands for 1.
	rate float64
}

// isAffineNow reports whether e is written as an affine function.
func (e *scalar) isAffineNow() bool { return len(e.terms) == 0 }

func (l Linear) expr() scalar { return scalar{lin: l} }

// owner is the space of all of e.
func (e scalar) owner() *space { return e.of.join(e.lin.of) }
