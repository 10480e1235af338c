package dc

import (
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
)

// scalar is a function as it was written: an affine part and a sum of weighted functions of either
// sign. Value computes it as it stands. The split that CCP needs, a split into g − h with convex g
// and h, follows from it. The zero value is the constant 0.
type scalar struct {
	lin   convex.Linear
	terms []term
	// lazy holds the split; nil: it is not kept.
	lazy *lazySplit
	// composite: the split is not just the terms by their sign, as some are not
	// convex by themselves, or may be merged.
	composite bool
	of        *convex.Space // of the terms
	err       error
}

// term is w·f.
type term struct {
	w float64
	f convex.Func
}

// lazySplit is the split of a sum, computed when it is first asked for.
type lazySplit struct {
	once sync.Once
	s    split
}

// split is a difference of convex functions, lin + Σ g − Σ h, all weights
// positive. Horst and Thoai 1999 is the source of most rules that make one.
type split struct {
	lin     convex.Linear
	g, h    []term
	touches bool // a majorant is among g
	// rate is the derivative of the split by the function where both are 0; 0 stands for 1.
	rate float64
}

// isAffineNow reports whether e is written as an affine function.
func (e *scalar) isAffineNow() bool { return len(e.terms) == 0 }

func linearExpr(l convex.Linear) scalar { return scalar{lin: l} }

// owner is the space of all of e.
func (e scalar) owner() *convex.Space { return e.of.Join(e.lin.Of) }
