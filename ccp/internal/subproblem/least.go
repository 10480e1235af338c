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
	lin, quad    parts // of q; of the upper triangle of P, by places in P.Val, which are numbers of triplets while it is built
	vars         []int // of all items
	chosen, next []bool
	known        bool // chosen is that of P
}

// parts are lists of numbers with their places, one for each item.
type parts struct {
	ptr []int
	at  []int32
	v   []float64
}

func (p *parts) add(at int, v float64) { p.at, p.v = append(p.at, int32(at)), append(p.v, v) }

// end ends the list of an item.
func (p *parts) end() { p.ptr = append(p.ptr, len(p.at)) }

// addTo adds the lists of the chosen items to dst.
func (p *parts) addTo(dst []float64, chosen []bool) {
	for i, ok := range chosen {
		if !ok {
			continue
		}
		for e := p.ptr[i]; e < p.ptr[i+1]; e++ {
			dst[p.at[e]] += p.v[e]
		}
	}
}

// add adds zeros at the places in p of all items of l, functions of the first cols columns.
func (c *choices) add(l dc.Least, p *sparse.Triplets, cols int) {
	n := l.Sums * l.Of
	out := least{form: l, chosen: make([]bool, n), next: make([]bool, n), lin: parts{ptr: []int{0}}, quad: parts{ptr: []int{0}}}
	in := make([]bool, cols)
	mark := func(list []int) {
		for _, j := range list {
			if !in[j] {
				in[j], out.vars = true, append(out.vars, j)
			}
		}
	}
	for i := range n {
		f := l.Item(i/l.Of, i%l.Of)
		lin := f.Linear.Scale(l.Weight)
		mark(lin.Idx)
		for _, q := range f.Quad {
			for k := range q.Arg.Len() {
				a, w := q.Arg.Entry(k), 2*l.Weight*q.Weight
				mark(a.Idx)
				lin = lin.AddScaled(w*a.Const, dc.Linear{Idx: a.Idx, Val: a.Val})
				for m, row := range a.Idx {
					for n := m; n < len(a.Idx); n++ {
						out.quad.add(p.Add(row, a.Idx[n], 0), w*a.Val[m]*a.Val[n])
					}
				}
			}
		}
		for e, j := range lin.Idx {
			out.lin.add(j, lin.Val[e])
		}
		out.lin.end()
		out.quad.end()
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
		for e, at := range l.quad.at {
			l.quad.at[e] = int32(places[at])
		}
	}
}

// take lets those items count that are least at x: it adds their part to q and, where
// they are others than before, makes P of base anew.
func (c *choices) take(x, q, base []float64) (switched bool) {
	for k := range c.all {
		l := &c.all[k]
		l.form.Choose(x, l.next)
		if !l.known || !slices.Equal(l.chosen, l.next) {
			switched, l.known = true, true
			l.chosen, l.next = l.next, l.chosen
		}
		l.lin.addTo(q, l.chosen)
	}
	if !switched {
		return false
	}
	copy(c.p, base)
	for k := range c.all {
		c.all[k].quad.addTo(c.p, c.all[k].chosen)
	}
	return true
}
