package dc

import "github.com/dcopt/dcopt/internal/graph/atom"

// A sum of which the largest items are subtracted is the sum of the smallest, and is computed as
// such: the largest may be so large that nothing else is left of a difference.

// largestTerm is a sum of the largest of some expressions, as it is written.
func largestTerm(f Convex) (items []scalar, k int, ok bool) {
	r, ok := f.(*vectorAtom)
	switch {
	case !ok || r.row != atom.SumLargest:
		return nil, 0, false
	case r.a != nil:
		return r.a.scalars(), int(r.p[0]), true
	}
	return r.items, int(r.p[0]), r.items != nil
}

// sumTails finds the terms of a sum that cancel the largest of their own:
// w·Σ fᵢ − w·(sum of the k largest fᵢ), and makes one term of each such group.
func sumTails(terms []term) []term {
	for at := 0; at < len(terms); at++ {
		w := -terms[at].w
		items, k, ok := largestTerm(terms[at].f)
		if !ok || w <= 0 {
			continue
		}
		taken := findAll(terms, w, items)
		if taken == nil {
			continue
		}
		group, rest := []term{{-1, terms[at].f}}, []term(nil)
		for i, t := range terms {
			switch {
			case i == at:
			case taken[i]:
				group = append(group, term{1, t.f})
			default:
				rest = append(rest, t)
			}
		}
		f := asWritten(atom.SumSmallest, []float64{float64(len(items) - k)}, splitOf(Linear{}, group), items)
		terms, at = append(rest, term{w, f.terms[0].f}), -1
	}
	return terms
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
	place := map[Convex]int{}
	for i, t := range terms {
		if first := known.First(t.f); first == t.f {
			place[t.f] = i
		}
	}
	for k := range items {
		e := &items[k]
		if !e.lin.isZero() || len(e.terms) != 1 || e.terms[0].w != 1 {
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
func sameItems(f Convex, items []scalar) bool {
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
		if !e.lin.isZero() || len(e.terms) != 1 || e.terms[0].w != 1 {
			return false
		}
		var l Linear
		if g := rowAt(e.terms[0].f, atom.SumSquares); squares != nil && g != nil && g.Len() == 1 {
			l = g.Linear(0)
		} else if c, ok := e.terms[0].f.(*curveAtom); squares == nil && ok && c.isAffine("abs") {
			l = c.e().lin
		} else {
			return false
		}
		if !l.equal(a.Linear(k)) {
			return false
		}
	}
	return true
}
