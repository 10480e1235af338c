package expr

import (
	"fmt"
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
)

// Scalar is a function as it was written: an affine part and a sum of weighted functions of either
// sign. Value computes it as it stands. The split that CCP needs, a split into g − h with convex g
// and h, follows from it. In splits sums are such functions, too, of convex terms with weights
// above 0. The zero value is the constant 0.
type Scalar struct {
	Lin   convex.Linear
	Terms []Term
	// Lazy holds the split; nil: it is not kept.
	Lazy *LazySplit
	// Composite: the split is not just the terms by their sign, as some are not
	// convex by themselves, or may be merged.
	Composite bool
	Of        *convex.Space // of the terms
	Err       error
}

// Term is w·f.
type Term struct {
	W float64
	F convex.Func
}

// LazySplit is the split of a sum, computed when it is first asked for.
type LazySplit struct {
	once sync.Once
	s    Split
}

// Split is a difference of convex functions, lin + Σ g − Σ h, all weights
// positive. Horst and Thoai 1999 is the source of most rules that make one.
type Split struct {
	Lin     convex.Linear
	G, H    []Term
	Touches bool // a majorant is among g
	// Rate is the derivative of the split by the function where both are 0; 0 stands for 1.
	Rate float64
	// moved: MoveTangents has been through; functions that are linearised have no bounds.
	moved bool
}

// IsAffineNow reports whether e is written as an affine function.
func (e *Scalar) IsAffineNow() bool { return len(e.Terms) == 0 }

// OfLinear is l as an expression.
func OfLinear(l convex.Linear) Scalar { return Scalar{Lin: l} }

// Owner is the space of all of e.
func (e Scalar) Owner() *convex.Space { return e.Of.Join(e.Lin.Of) }

// Written is a function as it was written. Its AddSubgrad adds a difference of subgradients of the
// parts of its split, which is nil if the function is convex by itself.
type Written interface {
	convex.Func
	Split() *Split
}

// isWritten reports whether f is not convex by itself.
func isWritten(f convex.Func) bool {
	if a, maybe := f.(interface{ HasSplit() bool }); maybe {
		return a.HasSplit()
	}
	_, ok := f.(Written)
	return ok
}

// HasSplit reports whether the split stands for e, which is not convex by itself.
func (e *Scalar) HasSplit() bool { return e.Composite }

// Many is implemented by families, sums of functions that differ in numbers alone.
type Many interface {
	convex.Func
	// OneByOne are the functions as expressions.
	OneByOne() []Scalar
	// Coefficients is how many of them a value visits.
	Coefficients() int
	// SameMembers reports whether another function is a family with the same functions.
	SameMembers(f convex.Func) bool
}

// WithFamilies reports whether families are among the terms.
func (e *Scalar) WithFamilies() bool {
	return slices.ContainsFunc(e.Terms, func(t Term) bool { _, is := t.F.(Many); return is })
}

// Failed is an expression that is a mistake.
func Failed(format string, args ...any) Scalar {
	return Scalar{Err: fmt.Errorf("dc: "+format, args...)}
}

// ConvexOf and ConcaveOf are the expressions f and −f of a convex f.
func ConvexOf(f convex.Func, of *convex.Space) Scalar  { return Scalar{Terms: []Term{{1, f}}, Of: of} }
func ConcaveOf(f convex.Func, of *convex.Space) Scalar { return Scalar{Terms: []Term{{-1, f}}, Of: of} }

// Number is a number as an expression.
func Number(v float64) Scalar { return Scalar{Lin: convex.Linear{Const: v}} }

// Composite is the expression of one function that is not convex.
func Composite(f Written, of *convex.Space) Scalar {
	return Scalar{Terms: []Term{{1, f}}, Lazy: &LazySplit{}, Composite: true, Of: of}
}

// Value is the function at x, computed from the expression as it was written;
// NaN where terms of either sign are infinite.
func (e *Scalar) Value(x []float64) float64 {
	s := e.Lin.Value(x)
	for _, t := range e.Terms {
		s += t.W * t.F.Value(x)
	}
	return s
}

// AddGradient adds scale times the gradient of the function at x to dst, of length
// Problem.NumVars(), and returns the function's value. At a kink the gradient belongs to a
// function which is nowhere far from e near x: of a piece, or a difference of subgradients.
func (e Scalar) AddGradient(dst []float64, scale float64, x []float64) (value float64) {
	e.Lin.AddSubgrad(dst, scale, x)
	value = e.Lin.Value(x)
	for _, t := range e.Terms {
		if f, ok := t.F.(convex.WithValue); ok {
			value += t.W * f.AddGradient(dst, scale*t.W, x)
			continue
		}
		t.F.AddSubgrad(dst, scale*t.W, x)
		value += t.W * t.F.Value(x)
	}
	return value
}

// AddSubgrad is AddGradient without the value.
func (e *Scalar) AddSubgrad(dst []float64, scale float64, x []float64) {
	e.Lin.AddSubgrad(dst, scale, x)
	for _, t := range e.Terms {
		t.F.AddSubgrad(dst, scale*t.W, x)
	}
}

// Evaluate is Value with a bound of its rounding error: the exact value lies within
// value ± bound. The bound is 0 or more, +Inf where nothing can be said.
func (e Scalar) Evaluate(x []float64) (value, bound float64) {
	v := e.Approx(x)
	return v.V, v.Bound()
}

// Approx is Value with the error bounds of Evaluate.
func (e *Scalar) Approx(x []float64) convex.Approx {
	var s convex.Total
	s.Add(e.Lin.Approx(x))
	for _, t := range e.Terms {
		s.AddScaled(t.W, convex.Approximate(t.F, x))
	}
	return s.Approx
}

// Over is an interval that holds the values of e wherever the variables are
// within their bounds.
func (e Scalar) Over() interval.Interval { return termsOver(e.Lin, e.Terms) }

// Neg returns −e.
func (e Scalar) Neg() Scalar { return e.Scale(-1) }

// Scale returns w·e; a negative w swaps g and h.
func (e Scalar) Scale(w float64) Scalar {
	switch {
	case e.Err != nil || w == 1:
		return e
	case w == 0:
		return Scalar{}
	}
	out := Scalar{Lin: e.Lin.Scale(w), Terms: ScaleTerms(e.Terms, w), Of: e.Of}
	if e.Composite {
		out.Lazy, out.Composite = &LazySplit{}, true
	}
	return out
}

// ScaleTerms are the terms with w times their weights.
func ScaleTerms(ts []Term, w float64) []Term {
	if len(ts) == 0 {
		return nil
	}
	out := make([]Term, len(ts))
	for k, t := range ts {
		out[k] = Term{w * t.W, t.F}
	}
	return out
}

// bySign parts terms by the sign of their weight, in order. The weights of h are
// turned.
func bySign(terms []Term) (g, h []Term) {
	plus := 0
	for _, t := range terms {
		if t.W > 0 {
			plus++
		}
	}
	if plus == len(terms) {
		return terms, nil
	}
	all := make([]Term, len(terms))
	g, h = all[:0:plus], all[plus:plus]
	for _, t := range terms {
		if t.W > 0 {
			g = append(g, t)
		} else {
			h = append(h, Term{-t.W, t.F})
		}
	}
	return g, h
}

// Smooth reports whether e has a gradient wherever its subgradients exist, norms at
// 0 aside.
func (e *Scalar) Smooth() bool {
	return !slices.ContainsFunc(e.Terms, func(t Term) bool { return !convex.IsSmooth(t.F) })
}

// Domain, Inside and Everywhere are taken over all terms.
func (e *Scalar) Domain() (out []convex.Representer) {
	for _, t := range e.Terms {
		if r, ok := t.F.(convex.Restricted); ok {
			out = append(out, r.Domain()...)
		}
	}
	return out
}

func (e *Scalar) Inside(x []float64) bool {
	for _, t := range e.Terms {
		if r, ok := t.F.(convex.Restricted); ok && !r.Inside(x) {
			return false
		}
	}
	return true
}

// within is Inside of the functions as they are written: those of a split may be many times as
// many.
func (e *Scalar) within(x []float64) bool {
	for _, t := range e.Terms {
		switch f := t.F.(type) {
		case interface{ within(x []float64) bool }:
			if !f.within(x) {
				return false
			}
		case convex.Restricted:
			if !f.Inside(x) {
				return false
			}
		}
	}
	return true
}

func (e *Scalar) Everywhere() bool {
	return !slices.ContainsFunc(e.Terms, func(t Term) bool { return !convex.HasAllPoints(t.F) })
}

// Support lists, ascending, the variables that e depends on as it is written.
func (e *Scalar) Support() []int {
	lists := [][]int{e.Lin.Idx}
	for _, t := range e.Terms {
		lists = append(lists, t.F.Support())
	}
	return convex.Union(lists...)
}

// Bends are the bends of an expression; ok is false where one of its functions is not known to
// have bounds.
func (e *Scalar) Bends() (convex.Bends, bool) {
	if len(e.Terms) == 0 {
		return convex.AffineBends(e.Lin), true
	}
	parts, weights := []convex.Bends{convex.AffineBends(e.Lin)}, []float64{1}
	for _, t := range e.Terms {
		b, ok := bendsOfFunction(t.F)
		if !ok {
			return convex.Bends{}, false
		}
		parts, weights = append(parts, b), append(weights, t.W)
	}
	out := convex.SumOfBends(e.Over(), parts, weights)
	return out, len(out.Up)+len(out.Down)+len(out.Slope) <= convex.MostBends
}

// bendsOfFunction: of functions that say so.
func bendsOfFunction(f convex.Func) (convex.Bends, bool) {
	if b, ok := f.(interface{ Bends() (convex.Bends, bool) }); ok {
		return b.Bends()
	}
	return convex.Bends{}, false
}

func termsOver(lin convex.Linear, terms []Term) interval.Interval {
	i := lin.Over()
	for _, t := range terms {
		i = i.Add(convex.RangeOf(t.F).Scale(t.W))
	}
	return i
}
