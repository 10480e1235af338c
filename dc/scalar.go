package dc

import (
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
)

// written is a function as it was written. Its AddSubgrad adds a difference of subgradients of the
// parts of its split, which is nil if the function is convex by itself.
type written interface {
	convex.Func
	split() *split
}

// isWritten reports whether f is not convex by itself.
func isWritten(f convex.Func) bool {
	if a, maybe := f.(interface{ hasSplit() bool }); maybe {
		return a.hasSplit()
	}
	_, ok := f.(written)
	return ok
}

// many is implemented by families, sums of functions that differ in numbers alone.
type many interface {
	convex.Func
	// oneByOne are the functions as expressions.
	oneByOne() []scalar
	// coefficients is how many of them a value visits.
	coefficients() int
	// sameMembers reports whether another function is a family with the same functions.
	sameMembers(f convex.Func) bool
}

// withFamilies reports whether families are among the terms.
func (e *scalar) withFamilies() bool {
	return slices.ContainsFunc(e.terms, func(t term) bool { _, is := t.f.(many); return is })
}

func badExpr(format string, args ...any) scalar {
	return scalar{err: fmt.Errorf("dc: "+format, args...)}
}

func convexOf(f convex.Func, of *convex.Space) scalar  { return scalar{terms: []term{{1, f}}, of: of} }
func concaveOf(f convex.Func, of *convex.Space) scalar { return scalar{terms: []term{{-1, f}}, of: of} }

// constantExpr is a number as an expression.
func constantExpr(v float64) scalar { return scalar{lin: convex.Linear{Const: v}} }

// node is the expression of one function that is not convex.
func node(f written, of *convex.Space) scalar {
	return scalar{terms: []term{{1, f}}, lazy: &lazySplit{}, composite: true, of: of}
}

// Err is the first mistake made on the way to e, or nil.
func (e scalar) Err() error { return e.err }

// Value is the function at x, computed from the expression as it was written;
// NaN where terms of either sign are infinite.
func (e scalar) Value(x []float64) float64 { return e.value(x) }

func (e *scalar) value(x []float64) float64 {
	s := e.lin.Value(x)
	for _, t := range e.terms {
		s += t.w * t.f.Value(x)
	}
	return s
}

// AddGradient adds scale times the gradient of the function at x to dst, of length
// Problem.NumVars(), and returns the function's value. At a kink the gradient belongs to a
// function which is nowhere far from e near x: of a piece, or a difference of subgradients.
func (e scalar) AddGradient(dst []float64, scale float64, x []float64) (value float64) {
	e.lin.AddSubgrad(dst, scale, x)
	value = e.lin.Value(x)
	for _, t := range e.terms {
		if f, ok := t.f.(convex.WithValue); ok {
			value += t.w * f.AddGradient(dst, scale*t.w, x)
			continue
		}
		t.f.AddSubgrad(dst, scale*t.w, x)
		value += t.w * t.f.Value(x)
	}
	return value
}

// addSubgrad is AddGradient without the value.
func (e *scalar) addSubgrad(dst []float64, scale float64, x []float64) {
	e.lin.AddSubgrad(dst, scale, x)
	for _, t := range e.terms {
		t.f.AddSubgrad(dst, scale*t.w, x)
	}
}

// Evaluate is Value with a bound of its rounding error: the exact value lies within
// value ± bound. The bound is 0 or more, +Inf where nothing can be said.
func (e scalar) Evaluate(x []float64) (value, bound float64) {
	v := e.Approx(x)
	return v.V, v.Bound()
}

// Approx is Value with the error bounds of Evaluate.
func (e *scalar) Approx(x []float64) convex.Approx {
	var s convex.Total
	s.Add(e.lin.Approx(x))
	for _, t := range e.terms {
		s.AddScaled(t.w, convex.Approximate(t.f, x))
	}
	return s.Approx
}

// Range is an interval that holds the values of e wherever the variables are
// within their bounds.
func (e scalar) Range() interval.Interval { return termsOver(e.lin, e.terms) }

// Neg returns −e.
func (e scalar) Neg() scalar { return e.Scale(-1) }

// Scale returns w·e; a negative w swaps g and h.
func (e scalar) Scale(w float64) scalar {
	switch {
	case e.err != nil || w == 1:
		return e
	case w == 0:
		return scalar{}
	}
	out := scalar{lin: e.lin.Scale(w), terms: scaleTerms(e.terms, w), of: e.of}
	if e.composite {
		out.lazy, out.composite = &lazySplit{}, true
	}
	return out
}

func scaleTerms(ts []term, w float64) []term {
	if len(ts) == 0 {
		return nil
	}
	out := make([]term, len(ts))
	for k, t := range ts {
		out[k] = term{w * t.w, t.f}
	}
	return out
}

// bySign parts terms by the sign of their weight, in order. The weights of h are
// turned.
func bySign(terms []term) (g, h []term) {
	plus := 0
	for _, t := range terms {
		if t.w > 0 {
			plus++
		}
	}
	if plus == len(terms) {
		return terms, nil
	}
	all := make([]term, len(terms))
	g, h = all[:0:plus], all[plus:plus]
	for _, t := range terms {
		if t.w > 0 {
			g = append(g, t)
		} else {
			h = append(h, term{-t.w, t.f})
		}
	}
	return g, h
}

// smooth reports whether e has a gradient wherever its subgradients exist, norms at
// 0 aside.
func (e *scalar) smooth() bool {
	return !slices.ContainsFunc(e.terms, func(t term) bool { return !convex.IsSmooth(t.f) })
}

// domain, inside and everywhere are taken over all terms.
func (e *scalar) domain() (out []convex.Representer) {
	for _, t := range e.terms {
		if r, ok := t.f.(convex.Restricted); ok {
			out = append(out, r.Domain()...)
		}
	}
	return out
}

func (e *scalar) inside(x []float64) bool {
	for _, t := range e.terms {
		if r, ok := t.f.(convex.Restricted); ok && !r.Inside(x) {
			return false
		}
	}
	return true
}

func (e *scalar) everywhere() bool {
	return !slices.ContainsFunc(e.terms, func(t term) bool { return !convex.HasAllPoints(t.f) })
}

// support lists, ascending, the variables that e depends on as it is written.
func (e *scalar) support() []int {
	lists := [][]int{e.lin.Idx}
	for _, t := range e.terms {
		lists = append(lists, t.f.Support())
	}
	return convex.Union(lists...)
}

// bendsOf are the bends of an expression; ok is false where one of its functions is not known to
// have bounds.
func bendsOf(e *scalar) (convex.Bends, bool) {
	if len(e.terms) == 0 {
		return convex.AffineBends(e.lin), true
	}
	parts, weights := []convex.Bends{convex.AffineBends(e.lin)}, []float64{1}
	for _, t := range e.terms {
		b, ok := bendsOfFunction(t.f)
		if !ok {
			return convex.Bends{}, false
		}
		parts, weights = append(parts, b), append(weights, t.w)
	}
	out := convex.SumOfBends(e.Range(), parts, weights)
	return out, len(out.Up)+len(out.Down)+len(out.Slope) <= convex.MostBends
}

// bendsOfFunction: of functions that say so.
func bendsOfFunction(f convex.Func) (convex.Bends, bool) {
	if b, ok := f.(interface{ Bends() (convex.Bends, bool) }); ok {
		return b.Bends()
	}
	return convex.Bends{}, false
}

func termsOver(lin convex.Linear, terms []term) interval.Interval {
	i := lin.Over()
	for _, t := range terms {
		i = i.Add(convex.RangeOf(t.f).Scale(t.w))
	}
	return i
}
