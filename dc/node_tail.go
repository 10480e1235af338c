package dc

import (
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// A sum of which the largest items are subtracted is the sum of the smallest, and is computed as
// such: the largest may be so large that nothing else is left of a difference.

// joinTail makes one term of w·Σ fᵢ − w·(the sum of the k largest fᵢ), of which f is the latter.
func (f *vectorAtom) joinTail(terms []term, at int) (joined []term, ok bool) {
	w, items := -terms[at].w, f.items
	if f.a != nil {
		all := array{Array: *f.a}
		items = all.scalars()
	}
	if f.row != atom.SumLargest || w <= 0 || items == nil {
		return nil, false
	}
	taken := findAll(terms, w, items)
	if taken == nil {
		return nil, false
	}
	group, rest := []term{{-1, f}}, []term(nil)
	for i, t := range terms {
		switch {
		case i == at:
		case taken[i]:
			group = append(group, term{1, t.f})
		default:
			rest = append(rest, t)
		}
	}
	k := float64(len(items)) - f.p[0]
	least := asWritten(atom.SumSmallest, []float64{k}, splitOf(convex.Linear{}, group), items)
	return append(rest, term{w, least.terms[0].f}), true
}

// findAll marks the terms of weight w that are the items; nil where an item is
// not among them. Squares and absolute values of one array may be one term.
func findAll(terms []term, w float64, items []scalar) []bool {
	taken := make([]bool, len(terms))
	for i, t := range terms {
		if t.w == w && sameItems(t.f, items) {
			taken[i] = true
			return taken
		}
	}
	var known Sharer
	place := map[convex.Func]int{}
	for i, t := range terms {
		if first := known.First(t.f); first == t.f {
			place[t.f] = i
		}
	}
	for k := range items {
		e := &items[k]
		if !e.lin.IsZero() || len(e.terms) != 1 || e.terms[0].w != 1 {
			return nil
		}
		i, ok := place[known.First(e.terms[0].f)]
		if !ok || taken[i] || terms[i].w != w {
			return nil
		}
		taken[i] = true
	}
	return taken
}

// sameItems reports whether f is the sum of the items, in order.
func sameItems(f convex.Func, items []scalar) bool {
	squares := rowAt(f, atom.SumSquares)
	a := squares
	if a == nil {
		if a = rowAt(f, atom.Norm1); a == nil {
			return false
		}
	}
	if a.Len() != len(items) {
		return false
	}
	for k := range items {
		e := &items[k]
		if !e.lin.IsZero() || len(e.terms) != 1 || e.terms[0].w != 1 {
			return false
		}
		var l convex.Linear
		if g := rowAt(e.terms[0].f, atom.SumSquares); squares != nil && g != nil && g.Len() == 1 {
			l = g.Linear(0)
		} else if c, ok := e.terms[0].f.(*curveAtom); squares == nil && ok && c.isAffine("abs") {
			l = c.e().lin
		} else {
			return false
		}
		if !l.Equal(a.Linear(k)) {
			return false
		}
	}
	return true
}
