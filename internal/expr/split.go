package expr

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// IsConst, IsAffine, IsConvex and IsConcave say what the split shows.
func (s *Split) IsConst() bool   { return s.IsAffine() && s.Lin.IsConst() }
func (s *Split) IsAffine() bool  { return len(s.G) == 0 && len(s.H) == 0 }
func (s *Split) IsConvex() bool  { return len(s.H) == 0 && !s.Touches && !someLinearised(s.G) }
func (s *Split) IsConcave() bool { return len(s.G) == 0 && !someLinearised(s.H) }

// Linearised reports whether the function of a term has no split, and is linearised where it stands
// alone in a sum: the split of an objective or of a constraint has it in h.
func (t Term) Linearised() bool {
	f, ok := t.F.(*StandIn)
	return ok && f.of != nil
}

func someLinearised(terms []Term) bool { return slices.ContainsFunc(terms, Term.Linearised) }

// ConvexSplit is a convex function.
func ConvexSplit(f convex.Func) Split { return Split{G: []Term{{1, f}}} }

// convexPart and concavePart are lin + Σ g and Σ h, both as convex functions.
func (s *Split) convexPart() Split  { return Split{Lin: s.Lin, G: s.G} }
func (s *Split) concavePart() Split { return Split{G: s.H} }

// Scale returns w·s; a negative w swaps g and h.
func (s *Split) Scale(w float64) Split {
	switch {
	case w == 1:
		return *s
	case w == 0:
		return Split{}
	case w == -1:
		return Split{Lin: s.Lin.Scale(w), G: s.H, H: s.G}
	case w > 0:
		return Split{Lin: s.Lin.Scale(w), G: ScaleTerms(s.G, w), H: ScaleTerms(s.H, w), Touches: s.Touches}
	}
	return Split{Lin: s.Lin.Scale(w), G: ScaleTerms(s.H, -w), H: ScaleTerms(s.G, -w)}
}

// Function is the convex part as one function.
func (s *Split) Function() convex.Representer { return newSum(s.Lin, s.G) }

// expr is a convex or a concave split as an expression.
func (s *Split) expr() Scalar {
	if len(s.H) > 0 {
		return Scalar{Lin: s.Lin, Terms: ScaleTerms(s.H, -1)}
	}
	return Scalar{Lin: s.Lin, Terms: s.G}
}

// Over is the range of the convex part.
func (s *Split) Over() interval.Interval { return termsOver(s.Lin, s.G) }

// Nonnegative reports whether s is convex, and its range shows that it is ≥ 0.
func (s *Split) Nonnegative() bool { return s.IsConvex() && s.Over().Lo >= 0 }

// written is the function of the term, if its split is to stand for it.
func (t Term) written() (f Written, ok bool) {
	f, ok = t.F.(Written)
	return f, ok && isWritten(t.F)
}

// splitOf is the split of a sum of functions as they were written.
func splitOf(lin convex.Linear, terms []Term) Split {
	count := len(terms)
	for _, t := range terms {
		if f, ok := t.written(); ok {
			s := f.Split()
			count += len(s.G) + len(s.H) - 1
		}
	}
	all := gathered{terms: make([]Term, 0, count), few: count <= mostPairs}
	lins, ones := []convex.Linear{lin}, []float64{1}
	for _, t := range terms {
		f, ok := t.written()
		if !ok {
			all.add(t.W, t.F)
			continue
		}
		s := f.Split()
		if !s.Lin.IsZero() {
			lins, ones = append(lins, s.Lin), append(ones, t.W)
		}
		for _, u := range s.G {
			all.add(t.W*u.W, u.F)
		}
		for _, u := range s.H {
			all.add(-t.W*u.W, u.F)
		}
	}
	out := Split{Lin: convex.SumLinear(lins, ones)}
	mergeAlike(all.terms)
	if added, rest := mergeSquares(all.terms); added != nil || !rest.IsZero() {
		all.terms, out.Lin = append(all.terms, added...), out.Lin.AddScaled(1, rest)
	}
	out.G, out.H = bySign(all.nonzero())
	out.Touches = touches(out.G)
	return out
}

// deferredSplit is implemented by functions whose split is made when it is first asked for.
type deferredSplit interface {
	// LessSquares reports whether the split is certainly a maximum, with the weight 1, less
	// squares, so that it is not affine.
	LessSquares() bool
}

// Remaining reports, of a long sum, whether some functions certainly remain in g and in h of its
// split, without making it: where all of a kind cancel their weights do, of kinds of which none
// merges with functions other than its equals. Squares merge with squares of the other sign.
func (e *Scalar) Remaining() (g, h bool) {
	if len(e.Terms) <= mostPairs && !e.WithFamilies() {
		return false, false
	}
	sum, size, up, down := 0.0, 0.0, false, false
	if e.withGaps() {
		return true, true
	}
	add := func(w float64, f convex.Func) {
		_, affine := f.(convex.Linear)
		switch {
		case affine, merges(f):
		case RowAt(f, atom.SumSquares) != nil:
			up, down = up || w > 0, down || w < 0
		default:
			sum, size = sum+w, size+math.Abs(w)
		}
	}
	for _, t := range e.Terms {
		f, ok := t.written()
		if !ok {
			add(t.W, t.F)
			continue
		}
		b, ok := f.(deferredSplit)
		less := ok && b.LessSquares()
		if _, ok := f.(Many); ok && !less {
			return false, false
		}
		if less {
			add(t.W, f)
			up, down = up || t.W < 0, down || t.W > 0
			continue
		}
		s := f.Split()
		for _, u := range s.G {
			add(t.W*u.W, u.F)
		}
		for _, u := range s.H {
			add(-t.W*u.W, u.F)
		}
	}
	return sum > convex.Apart*size || up && !down, sum < -convex.Apart*size || down && !up
}

// withGaps reports whether families of absolute values are among the terms, of which the splits
// have maxima of sums in g and maxima of affine functions in h, and nothing else that may cancel
// them.
func (e *Scalar) withGaps() bool {
	some := false
	for _, t := range e.Terms {
		if f, ok := t.F.(interface{ IsGap() bool }); ok && f.IsGap() && t.W > 0 {
			some = true
			continue
		}
		if _, family := t.F.(Many); family || isWritten(t.F) || NodeOf(t.F).Name == "max" {
			return false
		}
	}
	return some
}

// touches reports whether a majorant is among terms.
func touches(terms []Term) bool {
	return slices.ContainsFunc(terms, func(t Term) bool { _, ok := t.F.(Majorant); return ok })
}

// AddSplits adds with weights, nil for 1 each; terms in both g and h leave both.
func AddSplits(parts []Split, weights ...float64) Split {
	count := 0
	for k := range parts {
		count += len(parts[k].G) + len(parts[k].H)
	}
	terms := make([]Term, 0, count)
	// Of few parts these stay out of the heap: every maximum adds some.
	var fewLins [8]convex.Linear
	var fewWeights [8]float64
	lins, ws := fewLins[:0], fewWeights[:0]
	for k := range parts {
		w := 1.0
		if weights != nil {
			w = weights[k]
		}
		lins, ws = append(lins, parts[k].Lin), append(ws, w)
		for _, t := range parts[k].G {
			terms = append(terms, Term{w * t.W, t.F})
		}
		for _, t := range parts[k].H {
			terms = append(terms, Term{-w * t.W, t.F})
		}
	}
	return splitOf(convex.SumLinear(lins, ws), terms)
}

// Majorant is a function with a representation that lies above it and touches it
// at the current point.
type Majorant interface {
	convex.Representer
	IsMajorant()
}

// merges reports whether f may make one function of some in a sum.
func merges(f convex.Func) bool {
	g, ok := f.(*VectorAtom)
	return ok && g.special != nil && g.special.Merge != nil
}

func mergeAlike(all []Term) {
	for _, t := range all {
		if merges(t.F) {
			t.F.(*VectorAtom).special.Merge(all)
			return
		}
	}
}

// sumAffineParts adds the affine parts, count of which are not zero.
func sumAffineParts(es []Scalar, count int) convex.Linear {
	var few [4]convex.Linear
	lins := few[:0]
	if count > len(few) {
		lins = make([]convex.Linear, 0, count)
	}
	for k := range es {
		if !es[k].Lin.IsZero() {
			lins = append(lins, es[k].Lin)
		}
	}
	return convex.SumLinear(lins, nil)
}

// gathered adds terms of either sign, equal functions once.
type gathered struct {
	terms []Term
	few   bool // so few that each is compared with each
	share Sharer
	place []int // in terms, of what share knows
	other map[convex.Func]int
}

// mostPairs is up to how many terms comparing all pairs is faster than hashing.
// Source: a limit of speed; sums do not depend on it.
const mostPairs = 6

func (a *gathered) add(w float64, f convex.Func) {
	if a.few {
		for k := range a.terms {
			if sameFunction(f, a.terms[k].F) {
				a.terms[k].W += w
				return
			}
		}
	} else if k := a.known(f); k >= 0 {
		a.terms[k].W += w
		return
	}
	a.terms = append(a.terms, Term{w, f})
}

// known is the place of a function equal to f, −1 if f is new: then it is
// to go to the end.
func (a *gathered) known(f convex.Func) int {
	if like, ok := f.(noder); ok {
		switch k, fresh := a.share.find(f, like); {
		case fresh:
			a.place = append(a.place, len(a.terms))
			return -1
		case k >= 0:
			return a.place[k]
		}
	}
	if k, ok := a.other[f]; ok {
		return k
	}
	if a.other == nil {
		a.other = map[convex.Func]int{}
	}
	a.other[f] = len(a.terms)
	return -1
}

// nonzero are the terms that did not cancel.
func (a *gathered) nonzero() []Term {
	n := 0
	for _, t := range a.terms {
		if t.W != 0 {
			a.terms[n] = t
			n++
		}
	}
	return a.terms[:n:n]
}
