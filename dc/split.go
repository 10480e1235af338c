package dc

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
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
func convexSplit(f convex.Func) split { return split{g: []term{{1, f}}} }

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
func (s *split) function() convex.Representer { return newSum(s.lin, s.g) }

// expr is a convex or a concave split as an expression.
func (s *split) expr() scalar {
	if len(s.h) > 0 {
		return scalar{lin: s.lin, terms: scaleTerms(s.h, -1)}
	}
	return scalar{lin: s.lin, terms: s.g}
}

// Over is the range of the convex part.
func (s *split) Over() interval.Interval { return termsOver(s.lin, s.g) }

// nonnegative reports whether s is convex, and its range shows that it is ≥ 0.
func (s *split) nonnegative() bool { return s.isConvex() && s.Over().Lo >= 0 }

// written is the function of the term, if its split is to stand for it.
func (t term) written() (f written, ok bool) {
	if m, is := t.f.(interface{ final() bool }); is && m.final() {
		return nil, false
	}
	f, ok = t.f.(written)
	return f, ok && isWritten(t.f)
}

// splitOf is the split of a sum of functions as they were written.
func splitOf(lin convex.Linear, terms []term) split {
	count := len(terms)
	for _, t := range terms {
		if f, ok := t.written(); ok {
			s := f.split()
			count += len(s.g) + len(s.h) - 1
		}
	}
	all := gathered{terms: make([]term, 0, count), few: count <= mostPairs}
	lins, ones := []convex.Linear{lin}, []float64{1}
	for _, t := range terms {
		f, ok := t.written()
		if !ok {
			all.add(t.w, t.f)
			continue
		}
		s := f.split()
		if !s.lin.IsZero() {
			lins, ones = append(lins, s.lin), append(ones, t.w)
		}
		for _, u := range s.g {
			all.add(t.w*u.w, u.f)
		}
		for _, u := range s.h {
			all.add(-t.w*u.w, u.f)
		}
	}
	out := split{lin: convex.SumLinear(lins, ones)}
	mergeAlike(all.terms)
	if added, rest := mergeSquares(all.terms); added != nil || !rest.IsZero() {
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
	add := func(w float64, f convex.Func) {
		switch f.(type) {
		case convex.Linear, merger:
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
	return sum > convex.Apart*size || up && !down, sum < -convex.Apart*size || down && !up
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
	var fewLins [8]convex.Linear
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
	return splitOf(convex.SumLinear(lins, ws), terms)
}

// majorant is a function with a representation that lies above it and touches it
// at the current point.
type majorant interface {
	convex.Representer
	isMajorant()
}

// merger is implemented by functions of which some in one sum make one function together.
type merger interface {
	convex.Func
	// merge makes one term of such; the others get the weight 0.
	merge(all []term)
}

func mergeAlike(all []term) {
	for _, t := range all {
		if f, ok := t.f.(merger); ok {
			f.merge(all)
			return
		}
	}
}
