package expr

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Split is e as a difference of convex functions.
func (e Scalar) Split() *Split {
	if e.Lazy == nil {
		s := e.NewSplit()
		return &s
	}
	e.Lazy.once.Do(func() { e.Lazy.s = e.NewSplit() })
	return &e.Lazy.s
}

// SplitNow is a copy of split, which takes no memory where the split is not kept.
func (e *Scalar) SplitNow() Split {
	if e.Lazy == nil {
		return e.NewSplit()
	}
	return *e.Split()
}

// NewSplit computes the split of e.
func (e *Scalar) NewSplit() Split {
	if one, w := e.Alone(); one != nil && e.Lin.IsZero() && (w == 1 || w == -1) {
		s := one.Scale(w)
		s.Touches = touches(s.G)
		return s
	}
	if e.Composite {
		return splitOf(e.Lin, e.Terms)
	}
	s := Split{Lin: e.Lin}
	s.G, s.H = bySign(e.Terms)
	return s
}

// Alone is the split of the maximum that e is, except for an affine function, with its weight; nil
// where it is something else: such a split has nothing to gather.
func (e *Scalar) Alone() (*Split, float64) {
	if len(e.Terms) != 1 {
		return nil, 0
	}
	f, ok := e.Terms[0].F.(*VectorAtom)
	if !ok || f.Row != atom.Max {
		return nil, 0
	}
	return f.Split(), e.Terms[0].W // nil: it has no other function
}

// KeepSplit makes e remember its split.
func (e *Scalar) KeepSplit() {
	if e.Lazy == nil {
		e.Lazy = &LazySplit{}
	}
}

// ReplaceSplit gives e another split; its value stays as it is written.
func (e *Scalar) ReplaceSplit(s Split) {
	e.Lazy, e.Composite = &LazySplit{}, true
	e.Lazy.once.Do(func() { e.Lazy.s = s })
}

// IsConst, IsAffine, IsConvex and IsConcave say what the split shows; a
// function may be convex although its split does not show it.
func (e Scalar) IsConst() bool { return e.IsAffine() && e.Split().Lin.IsConst() }

// IsAffine reports whether the split has an affine part alone.
func (e Scalar) IsAffine() bool {
	if !e.Composite {
		return len(e.Terms) == 0
	}
	if len(e.Terms) == 1 {
		if f, ok := e.Terms[0].F.(deferredSplit); ok && f.LessSquares() && e.Terms[0].W != 0 {
			return false
		}
	}
	if one, w := e.Alone(); one != nil && w != 0 {
		return one.IsAffine()
	}
	if g, h := e.Remaining(); g || h {
		return false
	}
	s := e.SplitNow()
	return s.IsAffine()
}

// IsConvex reports whether h is zero, so that the split proves the expression convex.
func (e Scalar) IsConvex() bool {
	if e.Composite {
		_, h := e.Remaining()
		return !h && e.Split().IsConvex()
	}
	for _, t := range e.Terms {
		if t.W < 0 {
			return false
		}
	}
	return true
}

// IsConcave reports whether g is affine, so that the split proves the expression concave.
func (e Scalar) IsConcave() bool {
	if e.Composite {
		g, _ := e.Remaining()
		return !g && e.Split().IsConcave()
	}
	for _, t := range e.Terms {
		if t.W > 0 {
			return false
		}
	}
	return true
}

// Add returns e + o.
func (e Scalar) Add(o Scalar) Scalar { return SumOf([]Scalar{e, o}) }

// Shift returns e + v.
func (e Scalar) Shift(v float64) Scalar { return e.Add(Number(v)) }

// Sub returns e − o.
func (e Scalar) Sub(o Scalar) Scalar { return SumOf([]Scalar{e, o.Scale(-1)}) }

// SumOf is the sum; a function that occurs in several of them is kept once.
func SumOf(es []Scalar) Scalar {
	lins, terms := 0, 0
	for k := range es {
		if es[k].Err != nil {
			return es[k]
		}
		if !es[k].Lin.IsZero() {
			lins++
		}
		terms += len(es[k].Terms)
	}
	if len(es) == 1 {
		return es[0]
	}
	out := Scalar{Lin: sumAffineParts(es, lins)}
	for k := range es {
		out.Of = out.Of.Join(es[k].Owner())
	}
	if out.Of != nil && out.Of.Wrong != nil { // equal terms of two models would cancel
		return Scalar{Err: out.Of.Wrong}
	}
	if terms == 0 {
		return out
	}
	all := gathered{terms: make([]Term, 0, terms), few: terms <= mostPairs}
	for k := range es {
		out.Composite = out.Composite || es[k].Composite
		for _, t := range es[k].Terms {
			all.add(t.W, t.F)
		}
	}
	out.Terms = joinTails(all.nonzero())
	if out.Composite = out.Composite || mixed(out.Terms); out.Composite {
		out.Lazy = &LazySplit{}
	}
	return out
}

// mixed reports whether the split of a sum of convex functions may be another
// than by their signs: squares of both signs may be convex together, and matrix
// fractions of one sign may be one.
func mixed(terms []Term) bool {
	up, down, fractions := false, false, 0
	for _, t := range terms {
		squares := RowAt(t.F, atom.SumSquares) != nil
		up, down = up || squares && t.W > 0, down || squares && t.W < 0
		if merges(t.F) {
			fractions++
		}
		if isWritten(t.F) {
			return true
		}
	}
	return up && down || fractions > 1
}

// Apart is e with the members of families as terms, of those that meet a condition.
func (e Scalar) Apart(which func(Term) bool) Scalar {
	parts := []Scalar{{Lin: e.Lin, Of: e.Of, Err: e.Err}}
	some := false
	for _, t := range e.Terms {
		if f, is := t.F.(Many); is && which(t) {
			some = true
			for _, m := range f.OneByOne() {
				parts = append(parts, m.Scale(t.W))
			}
			continue
		}
		one := Scalar{Terms: []Term{t}, Composite: e.Composite, Of: e.Of}
		one.KeepSplit()
		parts = append(parts, one)
	}
	if !some {
		return e
	}
	return SumOf(parts)
}

// joinTails joins the terms that cancel parts of others with these.
func joinTails(terms []Term) []Term {
	for at := 0; at < len(terms); at++ {
		if f, is := terms[at].F.(*VectorAtom); is {
			if joined, ok := f.joinTail(terms, at); ok {
				terms, at = joined, -1
			}
		}
	}
	return terms
}

// Sum is the sum of all entries.
func (a *Array) Sum() Scalar {
	if a.Bent() {
		return SumOf(a.Fs)
	}
	return OfLinear(a.Dot(slices.Repeat([]float64{1}, a.Len())))
}

// IsConst reports whether all entries are constant.
func (a *Array) IsConst() bool {
	return a.Array.IsConst() && !slices.ContainsFunc(a.Fs, func(e Scalar) bool { return !e.IsConst() })
}

// Exponents are the affine functions of which e is written as the sum of exponentials.
func (e Scalar) Exponents() (convex.Array, bool) {
	if e.Err != nil || e.Composite || !e.Lin.IsConst() || e.Lin.Const < 0 || len(e.Terms) == 0 {
		return convex.Array{}, false
	}
	var rows []convex.Linear
	if e.Lin.Const > 0 {
		rows = append(rows, convex.Linear{Const: math.Log(e.Lin.Const)})
	}
	for _, t := range e.Terms {
		c, ok := t.F.(*CurveAtom)
		if !ok || !(t.W > 0) || c.Own != nil || !c.F.Is("exp") || !c.E().IsAffineNow() {
			return convex.Array{}, false
		}
		rows = append(rows, c.E().Lin.AddScaled(1, convex.Linear{Const: math.Log(t.W)}))
	}
	return convex.Entries(rows...), true
}

// AsPower is v and p where e is written as w·vᵖ, w > 0, p < 0, v restricted to v > 0.
func (e Scalar) AsPower() (v Scalar, p float64, ok bool) {
	if len(e.Terms) != 1 || !(e.Terms[0].W > 0) || !e.Lin.IsZero() {
		return Scalar{}, 0, false
	}
	c, ok := e.Terms[0].F.(*CurveAtom)
	if !ok {
		return Scalar{}, 0, false
	}
	v, by := *c.E(), c.F
	v.Of = v.Of.Join(e.Of)
	return v, by.P, by.Is("power") && by.P < 0
}

// Folded is e with the families of its terms that g has, the same expression after gather: the
// members take no memory then.
func (e Scalar) Folded(g *Scalar) Scalar {
	if len(g.Terms) == len(e.Terms) && !e.WithFamilies() {
		return e
	}
	return Scalar{Lin: e.Lin, Terms: g.Terms, Composite: true, Of: e.Of, Err: e.Err}
}
