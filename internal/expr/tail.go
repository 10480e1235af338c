package expr

import (
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// A sum of which the largest items are subtracted is the sum of the smallest, and is computed as
// such: the largest may be so large that nothing else is left of a difference.

// joinTail makes one term of w·Σ fᵢ − w·(the sum of the k largest fᵢ), of which f is the latter,
// term number at; ok is false where that is not so.
func (f *VectorAtom) joinTail(terms []Term, at int) (joined []Term, ok bool) {
	w := -terms[at].W
	if f.Row != atom.SumLargest || w <= 0 {
		return nil, false
	}
	items := f.Args.Scalars()
	taken := findAll(terms, w, items)
	if taken == nil {
		return nil, false
	}
	group, rest := []Term{{-1, f}}, []Term(nil)
	for i, t := range terms {
		switch {
		case i == at:
		case taken[i]:
			group = append(group, Term{1, t.F})
		default:
			rest = append(rest, t)
		}
	}
	k := float64(len(items)) - f.P[0]
	least := AsWritten(atom.SumSmallest, []float64{k}, splitOf(convex.Linear{}, group), Array{Fs: items})
	return append(rest, Term{w, least.Terms[0].F}), true
}

// findAll marks the terms of weight w that are the items; nil where an item is
// not among them. Squares and absolute values of one array may be one term.
func findAll(terms []Term, w float64, items []Scalar) []bool {
	taken := make([]bool, len(terms))
	for i, t := range terms {
		if t.W == w && sameItems(t.F, items) {
			taken[i] = true
			return taken
		}
	}
	var known Sharer
	place := map[convex.Func]int{}
	for i, t := range terms {
		if first := known.First(t.F); first == t.F {
			place[t.F] = i
		}
	}
	for k := range items {
		e := &items[k]
		if !e.Lin.IsZero() || len(e.Terms) != 1 || e.Terms[0].W != 1 {
			return nil
		}
		i, ok := place[known.First(e.Terms[0].F)]
		if !ok || taken[i] || terms[i].W != w {
			return nil
		}
		taken[i] = true
	}
	return taken
}

// sameItems reports whether f is the sum of the items, in order.
func sameItems(f convex.Func, items []Scalar) bool {
	squares := RowAt(f, atom.SumSquares)
	a := squares
	if a == nil {
		if a = RowAt(f, atom.Norm1); a == nil {
			return false
		}
	}
	if a.Len() != len(items) {
		return false
	}
	for k := range items {
		e := &items[k]
		if !e.Lin.IsZero() || len(e.Terms) != 1 || e.Terms[0].W != 1 {
			return false
		}
		var l convex.Linear
		if g := RowAt(e.Terms[0].F, atom.SumSquares); squares != nil && g != nil && g.Len() == 1 {
			l = g.Linear(0)
		} else if c, ok := e.Terms[0].F.(*CurveAtom); squares == nil && ok && c.isAffine("abs") {
			l = c.E().Lin
		} else {
			return false
		}
		if !l.Equal(a.Linear(k)) {
			return false
		}
	}
	return true
}
