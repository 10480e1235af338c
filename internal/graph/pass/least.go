package pass

import (
	"slices"

	"github.com/dcopt/dcopt/internal/graph"
)

// Least is the sum of members each of which is the sum of the k least of some functions, sums of
// squares of affine functions with an affine function beside them: at a point those that are least
// there count, a quadratic function of the variables. See Plan.IsLeast.
type Least struct {
	p            *Plan
	w            []float64
	k            int
	items        []item  // by entry that the last node reduces
	chosen, next []int32 // k of each member
	known        bool    // chosen has the choices of a point
}

// item is a function.
type item struct {
	linear  *graph.Row // nil: there is none
	squares []square
}

// square is a weight times the square of a row.
type square struct {
	*graph.Row
	weight []float64
	slots  [][]int32 // of each pair of coefficients, t ≤ u, a column of places of their product
	shared bool      // all members have the same coefficients, weight and places
}

// NewLeast is for the members of p with the weights in a column. place gives a place to the product
// of variables i ≤ j.
func NewLeast(p *Plan, w []float64, k int, place func(i, j int) int32) *Least {
	l := &Least{p: p, w: w, k: k, chosen: make([]int32, k*p.N), next: make([]int32, k*p.N)}
	for _, e := range p.entries[p.Top()] {
		var it item
		switch n := &p.Nodes[e.node]; n.Op {
		case graph.Affine:
			it.linear = &n.Rows[e.at]
		case graph.Reduce: // the sum of squares
			it.squares = p.squares(it.squares, e, one)
		case graph.Sum:
			if len(n.Rows) > 0 {
				it.linear = &n.Rows[e.at]
			}
			for a, arg := range n.Args {
				it.squares = p.squares(it.squares, entry{arg, e.at}, n.Weights[a])
			}
		}
		for s := range it.squares {
			it.squares[s].locate(p.N, place)
		}
		l.items = append(l.items, it)
	}
	return l
}

// squares appends the squares of an entry of a sum of squares.
func (p *Plan) squares(to []square, e entry, weight []float64) []square {
	n := &p.Nodes[e.node]
	for _, g := range p.entries[e.node][e.at*n.Group : (e.at+1)*n.Group] {
		r := &p.Nodes[g.node].Rows[g.at]
		to = append(to, square{Row: r, weight: weight, shared: r.Shared() && len(weight) == 1})
	}
	return to
}

// locate gives all products places.
func (s *square) locate(n int, place func(i, j int) int32) {
	for t := range s.Idx {
		for u := t; u < len(s.Idx); u++ {
			a, b, count := s.Idx[t], s.Idx[u], 1
			if len(a)+len(b) > 2 {
				count = n
			}
			slots := make([]int32, count)
			for i := range slots {
				slots[i] = place(int(graph.At(a, i)), int(graph.At(b, i)))
			}
			s.slots = append(s.slots, slots)
		}
	}
}

// Move follows the places of products to others.
func (l *Least) Move(places []int) {
	l.known = false
	for k := range l.items {
		for _, s := range l.items[k].squares {
			for _, slots := range s.slots {
				for i, at := range slots {
					slots[i] = int32(places[at])
				}
			}
		}
	}
}

// Variables calls each with the variables of all functions, some more than once.
func (l *Least) Variables(each func(j int)) { l.p.EachVariable(func(_ int, j int32) { each(int(j)) }) }

// Choose lets the functions count that are least at x, of equal ones the first. It reports whether
// these are others than before.
func (l *Least) Choose(x []float64) (switched bool) {
	l.p.Smallest(l.next, l.k, x)
	if l.known && slices.Equal(l.chosen, l.next) {
		return false
	}
	l.known, l.chosen, l.next = true, l.next, l.chosen
	return true
}

// Smallest writes, for each member, the numbers of the k least at x of the entries that the last
// node reduces, of equal ones the first.
func (p *Plan) Smallest(to []int32, k int, x []float64) {
	entries := p.entries[p.Top()]
	order := make([]int32, len(entries))
	p.blocks(x, func(w *Work, lo, n int) {
		for i := range n {
			if k == 1 {
				v := w.v[p.Top()][i]
				for e := range entries {
					if u := w.value(entries[e], n)[i]; u == v || u != u {
						to[lo+i] = int32(e)
						break
					}
				}
				continue
			}
			for e := range order {
				order[e] = int32(e)
			}
			slices.SortStableFunc(order, func(a, b int32) int {
				return compare(w.value(entries[a], n)[i], w.value(entries[b], n)[i])
			})
			copy(to[(lo+i)*k:(lo+i+1)*k], order)
		}
	})
}

// compare orders numbers; NaN is equal to all.
func compare(u, v float64) int {
	switch {
	case u < v:
		return -1
	case u > v:
		return 1
	}
	return 0
}

// AddLinear adds c times the linear part of the functions that count to q.
func (l *Least) AddLinear(q []float64, c float64) {
	for k := range l.items {
		it := &l.items[k]
		if it.linear != nil {
			l.eachMember(k, func(i int, w float64) {
				for t, idx := range it.linear.Idx {
					q[graph.At(idx, i)] += c * w * graph.At(it.linear.Val[t], i)
				}
			})
		}
		for s := range it.squares {
			l.addLinearOf(&it.squares[s], k, q, 2*c)
		}
	}
}

// addLinearOf adds c times the linear part of half a square of function k.
func (l *Least) addLinearOf(s *square, k int, q []float64, c float64) {
	if !s.shared {
		l.eachMember(k, func(i int, w float64) {
			w *= c * graph.At(s.weight, i) * graph.At(s.C, i)
			for t, idx := range s.Idx {
				q[graph.At(idx, i)] += w * graph.At(s.Val[t], i)
			}
		})
		return
	}
	sum := 0.0
	l.eachMember(k, func(i int, w float64) { sum += w * graph.At(s.C, i) })
	for t, idx := range s.Idx {
		q[idx[0]] += c * s.weight[0] * sum * s.Val[t][0]
	}
}

// AddSquares adds c times twice the products of coefficients of the functions that count to the
// places in p.
func (l *Least) AddSquares(p []float64, c float64) {
	for k := range l.items {
		for _, s := range l.items[k].squares {
			add := func(i int, w float64) {
				w *= 2 * c * graph.At(s.weight, i)
				at := 0
				for t := range s.Val {
					for u := t; u < len(s.Val); u++ {
						p[graph.At(s.slots[at], i)] += w * graph.At(s.Val[t], i) * graph.At(s.Val[u], i)
						at++
					}
				}
			}
			if !s.shared {
				l.eachMember(k, add)
				continue
			}
			sum := 0.0
			l.eachMember(k, func(_ int, w float64) { sum += w })
			if sum != 0 {
				add(0, sum)
			}
		}
	}
}

// eachMember calls f with the members of which function k counts, and their weights.
func (l *Least) eachMember(k int, f func(i int, w float64)) {
	for i, c := range l.chosen {
		if c == int32(k) {
			f(i/l.k, graph.At(l.w, i/l.k))
		}
	}
}
