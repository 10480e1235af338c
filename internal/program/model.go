package program

import (
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/interval"
)

// Model collects the parts of a problem. The zero Model is empty. It is not safe for concurrent
// use.
type Model struct {
	// Space is of the variables; nil before the first one.
	Space *convex.Space

	p     Problem // without constraints
	cs    collection
	known map[string][]interval.Interval // bounds of the entries of variables from rows to come, see Again
	names map[string]bool
	costs []cost
	errs  []error
}

// Fail takes note of a mistake, an error of the problem.
func (m *Model) Fail(err error) { m.errs = append(m.errs, err) }

// Reserve takes the name of variables, and fails where it is taken.
func (m *Model) Reserve(name string) {
	if m.names[name] {
		m.Fail(fmt.Errorf("dc: variable %s is declared twice", name))
	}
	if m.names == nil {
		m.names = map[string]bool{}
	}
	m.names[name] = true
}

// mostEntries is how many entries a variable may have at most.
// Source: families of functions number the entries of x by int32.
const mostEntries = math.MaxInt32

// Declare adds v with these attributes, and returns its entries.
func (m *Model) Declare(v *Variable, attributes []func(*Variable) error) (convex.Array, error) {
	v.Offset = m.p.n
	room := mostEntries
	for _, d := range v.Shape {
		if d < 0 || d > room {
			err := fmt.Errorf("dc: variable %s has shape %v", v.Name, v.Shape)
			m.Fail(err)
			return convex.Array{}, err
		}
		room /= max(d, 1)
	}
	m.Reserve(v.Name)
	for _, set := range attributes {
		if set == nil {
			m.Fail(fmt.Errorf("dc: variable %s: an option is nil", v.Name))
			continue
		}
		if err := set(v); err != nil {
			m.Fail(fmt.Errorf("dc: variable %s: %w", v.Name, err))
		}
	}
	if err := v.fold(); err != nil {
		err = fmt.Errorf("dc: variable %s: %w", v.Name, err)
		m.Fail(err)
		return convex.Array{}, err
	}
	m.p.Vars = append(m.p.Vars, v)
	if m.Space == nil {
		m.Space = &convex.Space{}
	}
	v.enter(m.Space, v.Size(), m.known[v.Name])
	m.p.n += v.Len()
	return v.entries(m.Space), nil
}

// Tie says that the variables t start at the values of e, of as many entries, for which earlier
// entries of t may be asked. Nothing else follows: that t is e is a constraint of its own.
func (m *Model) Tie(t []convex.Linear, e []expr.Scalar) {
	for k, l := range t {
		if len(l.Idx) == 1 {
			m.p.ties = append(m.p.ties, tie{l.Idx[0], e[k]})
		}
	}
}

// Own returns l, whose variables are given by their numbers, as a function of
// this model's variables. The known bounds of the variables hold for it then. A number that
// is none of a variable so far is an error of Problem where l is used.
func (m *Model) Own(l convex.Linear) convex.Linear {
	if l.Of != nil && l.Of.Wrong != nil {
		return l
	}
	if n := len(l.Idx); n > 0 && (l.Idx[0] < 0 || l.Idx[n-1] >= m.p.n) {
		return convex.Linear{Of: &convex.Space{Wrong: fmt.Errorf("dc: a function of variables number %d to %d of %d",
			l.Idx[0],
			l.Idx[n-1], m.p.n)}}
	}
	l.Of = m.Space
	return l
}

// Again is an empty model that knows the bounds of the variables of m, see dc.Model.Again.
func (m *Model) Again() (again *Model, ok bool) {
	if m.Space == nil || !m.Space.Overtaken {
		return nil, false
	}
	known := make(map[string][]interval.Interval, len(m.p.Vars))
	for _, v := range m.p.Vars {
		known[v.Name] = slices.Clone(m.Space.Within[v.Offset : v.Offset+v.Len()])
	}
	return &Model{known: known}, true
}

// Optimise sets the objective, of which a problem minimises e; maximize: it is the negative of what
// was given.
func (m *Model) Optimise(e expr.Scalar, maximize bool) { m.p.Objective, m.p.Maximize = e, maximize }

// AddCost adds the sum of p[k]·a[k], of parameters p and affine functions a, to the objective.
func (m *Model) AddCost(p, a convex.Array) { m.costs = append(m.costs, cost{p, a}) }

// Len is how many constraints were added.
func (m *Model) Len() int { return len(m.cs.list) }

// Add adds a constraint with a name and numbers in its brackets; other, if there is one, is the
// other half of an equation or a chain.
func (m *Model) Add(family string, index []int, c Common, other *Common) {
	for _, half := range []*Common{&c, other} {
		if half == nil {
			continue
		}
		for k := range half.Lo {
			if k < half.A.Len() {
				m.Space.Row(half.A.Linear(k), half.Lo[k], half.Hi[k])
			}
		}
		one := *half
		one.Family, one.index, one.second = family, index, half == other
		m.cs.add(&one)
	}
}

// AddFamily adds constraints E ≤ 0 of a name, of which E are the members of a graph that ends
// in a sum with an affine row, with width numbers in brackets each. ok is false where some have
// another form by the bounds of the variables; then nothing is added.
func (m *Model) AddFamily(name string, width int, index []int32, g *graph.Graph) (ok bool) {
	return m.cs.addMembers(name, width, index, g, m.Space)
}

// Duals are the multipliers of the constraints between two places, of an equation and a chain by
// entries: see dc.Statement.
func (m *Model) Duals(from, to int, y [][]float64) (out []float64) {
	if to > len(y) {
		return nil
	}
	for k := from; k < to; k++ {
		c := &m.cs.list[k]
		switch {
		case k+1 < to && c.Equation: // of e = 0: the multipliers of e ≤ 0 and −e ≤ 0
			out = append(out, y[k][0]-y[k+1][0])
			k++
		case k+1 < to && m.cs.list[k+1].second: // of lo ≤ e and e ≤ hi
			for i, v := range y[k+1] {
				out = append(out, v-y[k][i])
			}
			k++
		default:
			out = append(out, y[k]...)
		}
	}
	return out
}
