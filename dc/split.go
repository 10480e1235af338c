package dc

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/graph/atom"
)

func (s *split) isConst() bool   { return s.isAffine() && s.lin.IsConst() }
func (s *split) isAffine() bool  { return len(s.g) == 0 && len(s.h) == 0 }
func (s *split) isConvex() bool  { return len(s.h) == 0 && !s.touches && !someLinearised(s.g) }
func (s *split) isConcave() bool { return len(s.g) == 0 && !someLinearised(s.h) }

// linearised reports whether the function of a term has no split, and is linearised where it stands
// alone in a sum: the split of an objective or of a constraint has it in h.
func (t term) linearised() bool {
	f, ok := t.f.(interface{ isLinearised() bool })
	return ok && f.isLinearised()
}

func someLinearised(terms []term) bool { return slices.ContainsFunc(terms, term.linearised) }

// convexSplit is a convex function.
func convexSplit(f Convex) split { return split{g: []term{{1, f}}} }

// convexPart and concavePart are lin + Σ g and Σ h, both as convex functions.
func (s *split) convexPart() split  { return split{lin: s.lin, g: s.g} }
func (s *split) concavePart() split { return split{g: s.h} }

// scale returns w·s; a negative w swaps g and h.
func (s *split) scale(w float64) split {
	switch {
	case w == 1:
		return *s
	case w == 0:
		return split{}
	case w == -1:
		return split{lin: s.lin.Scale(w), g: s.h, h: s.g}
	case w > 0:
		return split{lin: s.lin.Scale(w), g: scaleTerms(s.g, w), h: scaleTerms(s.h, w), touches: s.touches}
	}
	return split{lin: s.lin.Scale(w), g: scaleTerms(s.h, -w), h: scaleTerms(s.g, -w)}
}

// function is the convex part as one function.
func (s *split) function() Representer { return newSum(s.lin, s.g) }

// expr is a convex or a concave split as an expression.
func (s *split) expr() scalar {
	if len(s.h) > 0 {
		return scalar{lin: s.lin, terms: scaleTerms(s.h, -1)}
	}
	return scalar{lin: s.lin, terms: s.g}
}

// over is the range of the convex part.
func (s *split) over() Interval { return termsOver(s.lin, s.g) }

func termsOver(lin Linear, terms []term) Interval {
	i := lin.over()
	for _, t := range terms {
		i = i.Add(rangeOf(t.f).Scale(t.w))
	}
	return i
}

// nonnegative reports whether s is convex, and its range shows that it is ≥ 0.
func (s *split) nonnegative() bool { return s.isConvex() && s.over().Lo >= 0 }

// written is the function of the term, if its split is to stand for it.
func (t term) written() (f written, ok bool) {
	if m, is := t.f.(interface{ final() bool }); is && m.final() {
		return nil, false
	}
	f, ok = t.f.(written)
	return f, ok && isWritten(t.f)
}

// splitOf is the split of a sum of functions as they were written.
func splitOf(lin Linear, terms []term) split {
	count := len(terms)
	for _, t := range terms {
		if f, ok := t.written(); ok {
			s := f.split()
			count += len(s.g) + len(s.h) - 1
		}
	}
	all := gathered{terms: make([]term, 0, count), few: count <= mostPairs}
	lins, ones := []Linear{lin}, []float64{1}
	for _, t := range terms {
		f, ok := t.written()
		if !ok {
			all.add(t.w, t.f)
			continue
		}
		s := f.split()
		if !s.lin.isZero() {
			lins, ones = append(lins, s.lin), append(ones, t.w)
		}
		for _, u := range s.g {
			all.add(t.w*u.w, u.f)
		}
		for _, u := range s.h {
			all.add(-t.w*u.w, u.f)
		}
	}
	out := split{lin: sumLinear(lins, ones)}
	mergeMatFracs(all.terms)
	if added, rest := mergeSquares(all.terms); added != nil || !rest.isZero() {
		all.terms, out.lin = append(all.terms, added...), out.lin.AddScaled(1, rest)
	}
	out.g, out.h = bySign(all.nonzero())
	out.touches = touches(out.g)
	return out
}

// late is implemented by functions whose split is made when it is first asked for.
type late interface {
	// lessSquares reports whether the split is certainly a maximum, with the weight 1, less
	// squares, so that it is not affine.
	lessSquares() bool
}

// remaining reports, of a long sum, whether some functions certainly remain in g and in h of its
// split, without making it: where all of a kind cancel their weights do, of kinds of which none
// merges with functions other than its equals. Squares merge with squares of the other sign.
func (e *scalar) remaining() (g, h bool) {
	if len(e.terms) <= mostPairs && !e.withFamilies() {
		return false, false
	}
	sum, size, up, down := 0.0, 0.0, false, false
	if e.withGaps() {
		return true, true
	}
	add := func(w float64, f Convex) {
		switch f.(type) {
		case Linear, *matFrac:
		default:
			if rowAt(f, atom.SumSquares) != nil {
				up, down = up || w > 0, down || w < 0
			} else {
				sum, size = sum+w, size+math.Abs(w)
			}
		}
	}
	for _, t := range e.terms {
		f, ok := t.written()
		if !ok {
			add(t.w, t.f)
			continue
		}
		b, ok := f.(late)
		less := ok && b.lessSquares()
		if _, ok := f.(many); ok && !less {
			return false, false
		}
		if less {
			add(t.w, f)
			up, down = up || t.w < 0, down || t.w > 0
			continue
		}
		s := f.split()
		for _, u := range s.g {
			add(t.w*u.w, u.f)
		}
		for _, u := range s.h {
			add(-t.w*u.w, u.f)
		}
	}
	return sum > apart*size || up && !down, sum < -apart*size || down && !up
}

// withGaps reports whether families of absolute values are among the terms, of which the splits
// have maxima of sums in g and maxima of affine functions in h, and nothing else that may cancel
// them.
func (e *scalar) withGaps() bool {
	some := false
	for _, t := range e.terms {
		if f, ok := t.f.(interface{ isGap() bool }); ok && f.isGap() && t.w > 0 {
			some = true
			continue
		}
		if _, family := t.f.(many); family || isWritten(t.f) || nodeOf(t.f).op == "max" {
			return false
		}
	}
	return some
}

// touches reports whether a majorant is among terms.
func touches(terms []term) bool {
	return slices.ContainsFunc(terms, func(t term) bool { _, ok := t.f.(majorant); return ok })
}

// addSplits adds with weights, nil for 1 each; terms in both g and h leave both.
func addSplits(parts []split, weights ...float64) split {
	count := 0
	for k := range parts {
		count += len(parts[k].g) + len(parts[k].h)
	}
	terms := make([]term, 0, count)
	// Of few parts these stay out of the heap: every maximum adds some.
	var fewLins [8]Linear
	var fewWeights [8]float64
	lins, ws := fewLins[:0], fewWeights[:0]
	for k := range parts {
		w := 1.0
		if weights != nil {
			w = weights[k]
		}
		lins, ws = append(lins, parts[k].lin), append(ws, w)
		for _, t := range parts[k].g {
			terms = append(terms, term{w * t.w, t.f})
		}
		for _, t := range parts[k].h {
			terms = append(terms, term{-w * t.w, t.f})
		}
	}
	return splitOf(sumLinear(lins, ws), terms)
}

// sum is an affine function plus weighted convex functions.
type sum struct {
	lin     Linear
	terms   []term
	indices []int
}

// newSum returns the sum, or the one function it consists of.
func newSum(lin Linear, terms []term) Representer {
	if len(terms) == 0 {
		return lin
	}
	if f, ok := terms[0].f.(Representer); ok && len(terms) == 1 && terms[0].w == 1 && lin.isZero() {
		return f
	}
	lists := [][]int{lin.Idx}
	for _, t := range terms {
		lists = append(lists, t.f.Support())
	}
	return &sum{lin, terms, union(lists...)}
}

func (s *sum) Value(x []float64) float64 {
	v := s.lin.Value(x)
	for _, t := range s.terms {
		v += t.w * t.f.Value(x)
	}
	return v
}

func (s *sum) approx(x []float64) approx {
	var v total
	v.add(s.lin.approx(x))
	for _, t := range s.terms {
		v.addScaled(t.w, approximate(t.f, x))
	}
	return v.approx
}

func (s *sum) AddSubgrad(dst []float64, scale float64, x []float64) {
	s.lin.AddSubgrad(dst, scale, x)
	for _, t := range s.terms {
		t.f.AddSubgrad(dst, scale*t.w, x)
	}
}

func (s *sum) Smooth() bool {
	return !slices.ContainsFunc(s.terms, func(t term) bool { return !smooth(t.f) })
}

func (s *sum) Support() []int { return s.indices }

func (s *sum) Represent(c Canon) Form {
	out := Form{}
	lins, w := make([]Linear, 0, len(s.terms)+1), make([]float64, 0, len(s.terms)+1)
	for _, t := range s.terms {
		form := c.Form(t.f.(Representer))
		lins, w = append(lins, form.Linear), append(w, t.w)
		for _, q := range form.Quad {
			q.Weight *= t.w
			out.Quad = append(out.Quad, q)
		}
		for _, l := range form.Least {
			l.Weight *= t.w
			out.Least = append(out.Least, l)
		}
	}
	out.Linear = sumLinear(append(lins, s.lin), append(w, 1))
	return out
}

// Pieces: those of a single term, shifted by the affine part.
func (s *sum) Pieces() []Linear {
	if len(s.terms) == 0 {
		return []Linear{s.lin}
	}
	p, ok := s.terms[0].f.(Polyhedral)
	if !ok || len(s.terms) > 1 {
		return nil
	}
	var out []Linear
	for _, l := range p.Pieces() {
		out = append(out, s.lin.AddScaled(s.terms[0].w, l))
	}
	return out
}

// Line: with a single term, that of f ≤ (b − l)/w; squares are one term.
func (s *sum) Line(b Linear) (row Linear, lo, hi, share float64, ok bool) {
	if q := s.squares(); q != nil {
		return q.Line(b.AddScaled(-1, s.lin))
	}
	if len(s.terms) != 1 {
		return Linear{}, 0, 0, 0, false
	}
	f, ok := s.terms[0].f.(line)
	if !ok {
		return Linear{}, 0, 0, 0, false
	}
	w := s.terms[0].w
	row, lo, hi, share, ok = f.Line(b.AddScaled(-1, s.lin).Scale(1 / w))
	return row, lo, hi, share / w, ok
}

// Below: as Line.
func (s *sum) Below(b Linear) (k Cone, share []float64, ok bool) {
	if q := s.squares(); q != nil {
		return q.Below(b.AddScaled(-1, s.lin))
	}
	if len(s.terms) != 1 {
		return Cone{}, nil, false
	}
	f, ok := s.terms[0].f.(Sublevel)
	if !ok {
		return Cone{}, nil, false
	}
	w := s.terms[0].w
	k, share, ok = f.Below(b.AddScaled(-1, s.lin).Scale(1 / w))
	for i := range share {
		share[i] /= w
	}
	return k, share, ok
}

// squares is the sum without l where all terms are sums of squares, else nil.
func (s *sum) squares() *vectorAtom {
	parts := make([]Expr, len(s.terms))
	for k, t := range s.terms {
		a := rowAt(t.f, atom.SumSquares)
		if a == nil {
			return nil
		}
		parts[k] = a.Scale(math.Sqrt(t.w))
	}
	if len(parts) == 0 {
		return nil
	}
	return newVectorAtom(atom.SumSquares, nil, Stack(parts...))
}

func (s *sum) Domain() []Representer   { return (&scalar{terms: s.terms}).domain() }
func (s *sum) Inside(x []float64) bool { return (&scalar{terms: s.terms}).inside(x) }
func (s *sum) Everywhere() bool        { return (&scalar{terms: s.terms}).everywhere() }

func (s *sum) over() Interval { return termsOver(s.lin, s.terms) }
func (s *sum) bends() (bends, bool) {
	return bendsOf(&scalar{lin: s.lin, terms: s.terms, of: s.lin.of})
}
func (s *sum) node() Node {
	return Node{op: "sum", args: exprArgs(scalar{lin: s.lin, terms: s.terms})}
}

func (s *sum) parts() []Convex {
	out := make([]Convex, len(s.terms))
	for k, t := range s.terms {
		out[k] = t.f
	}
	return out
}

// sumOfMaxima is implemented by functions that are an affine function plus a weighted
// sum of maxima of few affine functions, where Maxima says ok. Package ccp/global
// finds it by assertion.
type sumOfMaxima interface {
	Maxima(each func(weight float64, pieces []Linear)) (lin Linear, ok bool)
}

func (s *sum) Maxima(each func(weight float64, pieces []Linear)) (lin Linear, ok bool) {
	lin = s.lin
	for _, t := range s.terms {
		if l, ok := t.f.(Linear); ok {
			lin = lin.AddScaled(t.w, l)
			continue
		}
		m, ok := t.f.(sumOfMaxima)
		if !ok {
			return Linear{}, false
		}
		l, ok := m.Maxima(func(w float64, pieces []Linear) { each(t.w*w, pieces) })
		if !ok {
			return Linear{}, false
		}
		lin = lin.AddScaled(t.w, l)
	}
	return lin, true
}

// Flat reports whether s is affine for given parameters, so that its tangent is s
// itself: the costs that AddCost added. Package ccp finds it by assertion.
func (s *sum) Flat() bool {
	for _, t := range s.terms {
		if f, ok := t.f.(interface{ Flat() bool }); !ok || !f.Flat() {
			return false
		}
	}
	return true
}
