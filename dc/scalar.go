package dc

import (
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/internal/graph/atom"
)

// written is a function as it was written. Its AddSubgrad adds a difference of subgradients of the
// parts of its split, which is nil if the function is convex by itself.
type written interface {
	Convex
	split() *split
}

// isWritten reports whether f is not convex by itself.
func isWritten(f Convex) bool {
	if a, maybe := f.(interface{ hasSplit() bool }); maybe {
		return a.hasSplit()
	}
	_, ok := f.(written)
	return ok
}

// many is implemented by families, sums of functions that differ in numbers alone.
type many interface {
	Convex
	// oneByOne are the functions as expressions.
	oneByOne() []scalar
	// coefficients is how many of them a value visits.
	coefficients() int
	// sameMembers reports whether another function is a family with the same functions.
	sameMembers(f Convex) bool
}

// withFamilies reports whether families are among the terms.
func (e *scalar) withFamilies() bool {
	return slices.ContainsFunc(e.terms, func(t term) bool { _, is := t.f.(many); return is })
}

// apart is e with the members of families as terms, of those that meet a condition.
func (e scalar) apart(which func(term) bool) scalar {
	parts := []scalar{{lin: e.lin, of: e.of, err: e.err}}
	some := false
	for _, t := range e.terms {
		if f, is := t.f.(many); is && which(t) {
			some = true
			for _, m := range f.oneByOne() {
				parts = append(parts, m.Scale(t.w))
			}
			continue
		}
		one := scalar{terms: []term{t}, composite: e.composite, of: e.of}
		one.keepSplit()
		parts = append(parts, one)
	}
	if !some {
		return e
	}
	return sumExprs(parts)
}

func badExpr(format string, args ...any) scalar {
	return scalar{err: fmt.Errorf("dc: "+format, args...)}
}

func convex(f Convex, of *space) scalar  { return scalar{terms: []term{{1, f}}, of: of} }
func concave(f Convex, of *space) scalar { return scalar{terms: []term{{-1, f}}, of: of} }

// constantExpr is a number as an expression.
func constantExpr(v float64) scalar { return scalar{lin: Linear{Const: v}} }

// node is the expression of one function that is not convex.
func node(f written, of *space) scalar {
	return scalar{terms: []term{{1, f}}, lazy: &lazySplit{}, composite: true, of: of}
}

// Err is the first mistake made on the way to e, or nil.
func (e scalar) Err() error { return e.err }

// split is e as a difference of convex functions.
func (e scalar) split() *split {
	if e.lazy == nil {
		s := e.newSplit()
		return &s
	}
	e.lazy.once.Do(func() { e.lazy.s = e.newSplit() })
	return &e.lazy.s
}

// splitNow is a copy of split, which takes no memory where the split is not kept.
func (e *scalar) splitNow() split {
	if e.lazy == nil {
		return e.newSplit()
	}
	return *e.split()
}

func (e *scalar) newSplit() split {
	if one, w := e.alone(); one != nil && e.lin.isZero() && (w == 1 || w == -1) {
		s := one.scale(w)
		s.touches = touches(s.g)
		return s
	}
	if e.composite {
		return splitOf(e.lin, e.terms)
	}
	s := split{lin: e.lin}
	s.g, s.h = bySign(e.terms)
	return s
}

// settled is a function whose split has nothing to gather.
type settled interface{ settled() *split }

// alone is the split of the settled function that e is, except for an affine function, with its
// weight; nil where it is something else.
func (e *scalar) alone() (*split, float64) {
	if len(e.terms) != 1 {
		return nil, 0
	}
	f, ok := e.terms[0].f.(settled)
	if !ok {
		return nil, 0
	}
	return f.settled(), e.terms[0].w // nil is none
}

// keepSplit makes e remember its split.
func (e *scalar) keepSplit() {
	if e.lazy == nil {
		e.lazy = &lazySplit{}
	}
}

// replaceSplit gives e another split; its value stays as it is written.
func (e *scalar) replaceSplit(s split) {
	e.lazy, e.composite = &lazySplit{}, true
	e.lazy.once.Do(func() { e.lazy.s = s })
}

// IsConst, IsAffine, IsConvex and IsConcave say what the split shows; a
// function may be convex although its split does not show it.
func (e scalar) IsConst() bool { return e.IsAffine() && e.split().lin.IsConst() }

// IsAffine reports whether the split has an affine part alone.
func (e scalar) IsAffine() bool {
	if !e.composite {
		return len(e.terms) == 0
	}
	if len(e.terms) == 1 {
		if f, ok := e.terms[0].f.(late); ok && f.lessSquares() && e.terms[0].w != 0 {
			return false
		}
	}
	if one, w := e.alone(); one != nil && w != 0 {
		return one.isAffine()
	}
	if g, h := e.remaining(); g || h {
		return false
	}
	s := e.splitNow()
	return s.isAffine()
}

// IsConvex reports whether h is zero, so that the split proves the expression convex.
func (e scalar) IsConvex() bool {
	if e.composite {
		_, h := e.remaining()
		return !h && e.split().isConvex()
	}
	for _, t := range e.terms {
		if t.w < 0 {
			return false
		}
	}
	return true
}

// IsConcave reports whether g is affine, so that the split proves the expression concave.
func (e scalar) IsConcave() bool {
	if e.composite {
		g, _ := e.remaining()
		return !g && e.split().isConcave()
	}
	for _, t := range e.terms {
		if t.w > 0 {
			return false
		}
	}
	return true
}

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
// Problem.NumVars(), and returns the function's value. At a kink the gradient is that of a
// function which is nowhere far from e near x: of a piece, or a difference of subgradients.
func (e scalar) AddGradient(dst []float64, scale float64, x []float64) (value float64) {
	e.lin.AddSubgrad(dst, scale, x)
	value = e.lin.Value(x)
	for _, t := range e.terms {
		if f, ok := t.f.(withValue); ok {
			value += t.w * f.addGradient(dst, scale*t.w, x)
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
	v := e.approx(x)
	return v.v, v.bound()
}

// approx is Value with the error bounds of Evaluate.
func (e *scalar) approx(x []float64) approx {
	var s total
	s.add(e.lin.approx(x))
	for _, t := range e.terms {
		s.addScaled(t.w, approximate(t.f, x))
	}
	return s.approx
}

// Range is an interval that holds the values of e wherever the variables are
// within their bounds.
func (e scalar) Range() Interval {
	i := e.lin.over()
	for _, t := range e.terms {
		i = i.Add(rangeOf(t.f).Scale(t.w))
	}
	return i
}

// Add returns e + o.
func (e scalar) Add(o scalar) scalar { return sumExprs([]scalar{e, o}) }

// shift returns e + v.
func (e scalar) shift(v float64) scalar { return e.Add(constantExpr(v)) }

// Sub returns e − o.
func (e scalar) Sub(o scalar) scalar { return sumExprs([]scalar{e, o.Scale(-1)}) }

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

// sumExprs is the sum; a function that occurs in several of them is kept once.
func sumExprs(es []scalar) scalar {
	lins, terms := 0, 0
	for k := range es {
		if es[k].err != nil {
			return es[k]
		}
		if !es[k].lin.isZero() {
			lins++
		}
		terms += len(es[k].terms)
	}
	if len(es) == 1 {
		return es[0]
	}
	out := scalar{lin: sumAffineParts(es, lins)}
	for k := range es {
		out.of = out.of.join(es[k].owner())
	}
	if out.of != nil && out.of.wrong != nil { // equal terms of two models would cancel
		return scalar{err: out.of.wrong}
	}
	if terms == 0 {
		return out
	}
	all := gathered{terms: make([]term, 0, terms), few: terms <= mostPairs}
	for k := range es {
		out.composite = out.composite || es[k].composite
		for _, t := range es[k].terms {
			all.add(t.w, t.f)
		}
	}
	out.terms = sumTails(all.nonzero())
	if out.composite = out.composite || mixed(out.terms); out.composite {
		out.lazy = &lazySplit{}
	}
	return out
}

// mixed reports whether the split of a sum of convex functions may be another
// than by their signs: squares of both signs may be convex together, and matrix
// fractions of one sign may be one.
func mixed(terms []term) bool {
	up, down, fractions := false, false, 0
	for _, t := range terms {
		switch f := t.f.(type) {
		case *vectorAtom:
			squares := f.is(atom.SumSquares)
			up, down = up || squares && t.w > 0, down || squares && t.w < 0
		case *matFrac:
			fractions++
		}
		if isWritten(t.f) {
			return true
		}
	}
	return up && down || fractions > 1
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
	return !slices.ContainsFunc(e.terms, func(t term) bool { return !smooth(t.f) })
}

// oneSided is the convex function of an e whose terms have weights of one sign, or minus it.
func (e *scalar) oneSided() (f Representer, sign float64) {
	if len(e.terms) > 0 && e.terms[0].w < 0 {
		return newSum(e.lin.Scale(-1), scaleTerms(e.terms, -1)), -1
	}
	return newSum(e.lin, e.terms), 1
}

// domain, inside and everywhere are those of all terms.
func (e *scalar) domain() (out []Representer) {
	for _, t := range e.terms {
		if r, ok := t.f.(Restricted); ok {
			out = append(out, r.Domain()...)
		}
	}
	return out
}

func (e *scalar) inside(x []float64) bool {
	for _, t := range e.terms {
		if r, ok := t.f.(Restricted); ok && !r.Inside(x) {
			return false
		}
	}
	return true
}

func (e *scalar) everywhere() bool {
	return !slices.ContainsFunc(e.terms, func(t term) bool { return !hasAllPoints(t.f) })
}

// support lists, ascending, the variables that e depends on as it is written.
func (e *scalar) support() []int {
	lists := [][]int{e.lin.Idx}
	for _, t := range e.terms {
		lists = append(lists, t.f.Support())
	}
	return union(lists...)
}

// bendsOf are those of an expression; ok is false where one of its functions is not known to have
// bounds.
func bendsOf(e *scalar) (bends, bool) {
	if len(e.terms) == 0 {
		return affineBends(e.lin), true
	}
	parts, weights := []bends{affineBends(e.lin)}, []float64{1}
	for _, t := range e.terms {
		b, ok := bendsOfFunction(t.f)
		if !ok {
			return bends{}, false
		}
		parts, weights = append(parts, b), append(weights, t.w)
	}
	out := sumOfBends(e.Range(), parts, weights)
	return out, len(out.up)+len(out.down)+len(out.slope) <= mostBends
}

// bendsOfFunction: of functions that say so.
func bendsOfFunction(f Convex) (bends, bool) {
	if b, ok := f.(interface{ bends() (bends, bool) }); ok {
		return b.bends()
	}
	return bends{}, false
}
