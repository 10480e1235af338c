package subproblem

import (
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// choices are all dc.Least of the objective.
type choices struct {
	all []least
	p   []float64 // the values of P with those of the items that were chosen; nil: there are none
}

// least is a dc.Least multiplied out. Which of its items count changes from iteration
// to iteration, and with it values of q and P; P has the places of all.
type least struct {
	form         dc.Least
	choose       func(x []float64, chosen []bool)
	items        []item
	vars         []int // of all items, some more than once
	chosen, next []bool
	known        bool // chosen is that of P
}

// item is a quadratic function: its part of q, and of the upper triangle of P.
type item struct {
	lin dc.Linear
	at  []int // places in P.Val; while it is built, numbers of triplets
	v   []float64
}

// add adds zeros at the places in p of all items of l.
func (c *choices) add(l dc.Least, p *sparse.Triplets) {
	out := least{form: l, choose: l.Choose, chosen: make([]bool, len(l.Items)), next: make([]bool, len(l.Items))}
	for _, f := range l.Items {
		i := item{lin: f.Linear.Scale(l.Weight)}
		out.vars = append(out.vars, f.Linear.Idx...)
		for _, q := range f.Quad {
			for k := range q.Arg.Len() {
				a, w := q.Arg.Entry(k), 2*l.Weight*q.Weight
				out.vars = append(out.vars, a.Idx...)
				i.lin = i.lin.AddScaled(w*a.Const, dc.Linear{Idx: a.Idx, Val: a.Val})
				for m, row := range a.Idx {
					for n := m; n < len(a.Idx); n++ {
						i.at = append(i.at, p.Add(row, a.Idx[n], 0))
						i.v = append(i.v, w*a.Val[m]*a.Val[n])
					}
				}
			}
		}
		out.items = append(out.items, i)
	}
	c.all = append(c.all, out)
}

// locate follows the places of P, of so many entries, to others.
func (c *choices) locate(places []int, entries int) {
	if len(c.all) == 0 {
		return
	}
	c.p = make([]float64, entries)
	for k := range c.all {
		l := &c.all[k]
		l.known = false
		for i := range l.items {
			at := l.items[i].at
			for e := range at {
				at[e] = places[at[e]]
			}
		}
	}
}

// take lets those items count that are least at x: it adds their part to q and, where
// they are others than before, makes P of base anew.
func (c *choices) take(x, q, base []float64) (switched bool) {
	for k := range c.all {
		l := &c.all[k]
		l.choose(x, l.next)
		if !l.known || !slices.Equal(l.chosen, l.next) {
			switched, l.known = true, true
			l.chosen, l.next = l.next, l.chosen
		}
		for i, ok := range l.chosen {
			if !ok {
				continue
			}
			lin := &l.items[i].lin
			for e, j := range lin.Idx {
				q[j] += lin.Val[e]
			}
		}
	}
	if !switched {
		return false
	}
	copy(c.p, base)
	for k := range c.all {
		l := &c.all[k]
		for i, ok := range l.chosen {
			if !ok {
				continue
			}
			for e, at := range l.items[i].at {
				c.p[at] += l.items[i].v[e]
			}
		}
	}
	return true
}
