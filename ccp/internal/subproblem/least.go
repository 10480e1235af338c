package subproblem

import (
	"slices"

	"github.com/dcopt/dcopt/dc"
)

// least is a dc.Least multiplied out. Which of its items count changes from iteration
// to iteration, and with it values of q and P; P has the places of all.
type least struct {
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

// addLeast adds zeros at the places in P of all items.
func (b *Builder) addLeast(l dc.Least) {
	out := least{choose: l.Choose, chosen: make([]bool, len(l.Items)), next: make([]bool, len(l.Items))}
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
						i.at = append(i.at, b.p.Len())
						i.v = append(i.v, w*a.Val[m]*a.Val[n])
						b.p.Add(row, a.Idx[n], 0)
					}
				}
			}
		}
		out.items = append(out.items, i)
	}
	b.least = append(b.least, out)
}

// locate replaces numbers by places.
func (l *least) locate(places []int) {
	for k := range l.items {
		at := l.items[k].at
		for e := range at {
			at[e] = places[at[e]]
		}
	}
}

// mark marks the variables of all items.
func (l *least) mark(in []bool) {
	for _, j := range l.vars {
		in[j] = true
	}
}

// choose lets those items count that are least at x. Now.Q has the rest already.
func (s *Problem) choose(x []float64) {
	same := true
	for k := range s.least {
		l := &s.least[k]
		l.choose(x, l.next)
		if !l.known || !slices.Equal(l.chosen, l.next) {
			same, l.known = false, true
			l.chosen, l.next = l.next, l.chosen
		}
		for i, ok := range l.chosen {
			if !ok {
				continue
			}
			lin := &l.items[i].lin
			for e, j := range lin.Idx {
				s.Now.Q[j] += lin.Val[e]
			}
		}
	}
	s.Switched = !same
	if same {
		return
	}
	copy(s.chosenP, s.QP.P.Val)
	for k := range s.least {
		l := &s.least[k]
		for i, ok := range l.chosen {
			if !ok {
				continue
			}
			for e, at := range l.items[i].at {
				s.chosenP[at] += l.items[i].v[e]
			}
		}
	}
	copy(s.Now.P, s.chosenP)
	s.unchanged.held = false
}

// relocate follows QP.P to other places.
func (s *Problem) relocate(places []int) {
	s.chosenP = make([]float64, s.QP.P.NNZ())
	for k := range s.least {
		s.least[k].locate(places)
		s.least[k].known = false
	}
}
