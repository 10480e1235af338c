package dc

import (
	"slices"

	"github.com/dcopt/dcopt/internal/graph/atom"
)

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
	if one, w := e.alone(); one != nil && e.lin.IsZero() && (w == 1 || w == -1) {
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

// Add returns e + o.
func (e scalar) Add(o scalar) scalar { return sumExprs([]scalar{e, o}) }

// shift returns e + v.
func (e scalar) shift(v float64) scalar { return e.Add(constantExpr(v)) }

// Sub returns e − o.
func (e scalar) Sub(o scalar) scalar { return sumExprs([]scalar{e, o.Scale(-1)}) }

// sumExprs is the sum; a function that occurs in several of them is kept once.
func sumExprs(es []scalar) scalar {
	lins, terms := 0, 0
	for k := range es {
		if es[k].err != nil {
			return es[k]
		}
		if !es[k].lin.IsZero() {
			lins++
		}
		terms += len(es[k].terms)
	}
	if len(es) == 1 {
		return es[0]
	}
	out := scalar{lin: sumAffineParts(es, lins)}
	for k := range es {
		out.of = out.of.Join(es[k].owner())
	}
	if out.of != nil && out.of.Wrong != nil { // equal terms of two models would cancel
		return scalar{err: out.of.Wrong}
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
	out.terms = joinTails(all.nonzero())
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
		case merger:
			fractions++
		}
		if isWritten(t.f) {
			return true
		}
	}
	return up && down || fractions > 1
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

// tailed is implemented by functions that may cancel a part of other terms: a sum less its largest
// items, which is computed as the sum of the smallest.
type tailed interface {
	// joinTail is the terms with term number at and those that it cancels as one; ok is false where
	// there are none.
	joinTail(terms []term, at int) (joined []term, ok bool)
}

// joinTails joins the terms that cancel parts of others with these.
func joinTails(terms []term) []term {
	for at := 0; at < len(terms); at++ {
		if f, is := terms[at].f.(tailed); is {
			if joined, ok := f.joinTail(terms, at); ok {
				terms, at = joined, -1
			}
		}
	}
	return terms
}

// sum is the sum of all entries.
func (a *array) sum() scalar {
	if a.bent() {
		return sumExprs(a.fs)
	}
	return linearExpr(a.Dot(slices.Repeat([]float64{1}, a.Len())))
}

// isConst reports whether all entries are constant.
func (a *array) isConst() bool {
	return a.Array.IsConst() && !slices.ContainsFunc(a.fs, func(e scalar) bool { return !e.IsConst() })
}
