package program

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/expr/rule"
	"github.com/dcopt/dcopt/internal/graph"
)

// FewestMembers is from how many members on the constraints of a name are one
// object. Source: below it they take less memory than the 100 kB that a convex problem takes.
const FewestMembers = 128

// growing are constraints that follow one another and differ in numbers alone.
type growing struct {
	g      *graph.Graph
	family string
	width  int
	index  []int32
	of     *convex.Space
	joined bool // they are one object in the list
}

// finished are the members so far. More may be added to a.
func (a *growing) finished() *family.Members {
	return family.NewMembers(a.g.Done(), a.width, slices.Clip(a.index), a.of)
}

// collection is the constraints of a model.
type collection struct {
	list []Constraint
	r    family.Reader
	now  growing
	last *growing // the members that the last constraint is one of; nil: it is none
}

// read reads c as the only member of a graph. It returns nil where c can be none: where the split
// is not by the signs of the weights, or bounds of variables may give it another one.
func (l *collection) read(c *Common) *graph.Graph {
	e, r := &c.e, &l.r
	if !c.DC || c.Equation || c.second || c.Implied || c.cone != nil || c.Err != nil || e.Err != nil ||
		e.Composite || len(e.Terms) == 0 || slices.ContainsFunc(c.index, IsLarge) {
		return nil
	}
	if e.Lin.IsConst() && len(e.Terms) == 1 {
		if u, _ := rule.AffineFactors(e.Terms[0].F, 1); u != nil {
			return nil
		}
	}
	r.Begin()
	for _, t := range e.Terms {
		switch t.F.(type) {
		case convex.Linear, *expr.Scalar, *family.LeastOf, family.Gathers:
			return nil
		}
	}
	r.Weighted(graph.Node{Op: graph.Sum, Rows: []graph.Row{r.Row(e.Lin)}}, e.Terms)
	if !r.Ok {
		return nil
	}
	return &r.G
}

// IsLarge reports whether a number in the brackets of a name is too large for members.
func IsLarge(i int) bool { return i != int(int32(i)) }

// takes reports whether a member with the graph m and the statement c may follow.
func (a *growing) takes(c *Common, m *graph.Graph) bool {
	sameSign := func(v, w []float64) bool { return v[0] < 0 == (w[0] < 0) }
	return a != nil && a.family == c.Family && a.width == len(c.index) && a.g.Alike(m) &&
		slices.EqualFunc(a.g.Last().Weights, m.Last().Weights, sameSign)
}

func (a *growing) add(c *Common, m *graph.Graph) {
	for _, i := range c.index {
		a.index = append(a.index, int32(i))
	}
	a.g.Append(m)
	a.of = a.of.Join(c.e.Owner())
}

// add adds c. Where it is one of many of a name that differ in numbers alone, it joins them.
func (l *collection) add(c *Common) {
	m := l.read(c)
	switch {
	case m == nil:
		l.last = nil
		l.list = append(l.list, stated(*c))
		return
	case !l.last.takes(c, m):
		l.now = growing{g: graph.First(m), family: c.Family, width: len(c.index), of: c.e.Owner()}
		for _, i := range c.index {
			l.now.index = append(l.now.index, int32(i))
		}
		l.last = &l.now
		l.list = append(l.list, stated(*c))
		return
	}
	a := l.last
	a.add(c, m)
	if a.joined {
		l.list = append(l.list, Constraint{l.list[len(l.list)-1].Common, a.g.N - 1})
		return
	}
	if l.list = append(l.list, stated(*c)); a.g.N == FewestMembers {
		l.join()
	}
}

// join makes one object of the last constraints, which differ in numbers alone.
func (l *collection) join() {
	a := *l.last
	list := l.list[len(l.list)-a.g.N:]
	all := a.finished()
	for k := range list {
		if e := all.Expr(k); !e.Lin.Equal(list[k].e.Lin) || !expr.SameTerms(e.Terms, list[k].e.Terms) {
			l.last = nil // an atom has another form than it is made again in
			return
		}
	}
	a.joined = true
	l.last = &a
	one := stated(Common{Family: a.family, DC: true, members: all, grows: l.last})
	for k := range list {
		list[k] = Constraint{one.Common, k}
	}
}

// addMembers adds constraints of a name that are the members of a graph, with width numbers in
// brackets each. ok is false where some have another form by the bounds of the variables; then
// nothing is added.
func (l *collection) addMembers(familyOf string, width int, index []int32, g *graph.Graph, of *convex.Space) (ok bool) {
	f := family.NewMembers(g, width, index, of)
	if !f.Plan.Finite() || !f.Plan.ConvexParts() || !f.Plan.Kept(of.Ends) {
		return false
	}
	one := stated(Common{Family: familyOf, DC: true, members: f})
	l.list = slices.Grow(l.list, g.N)
	for k := range g.N {
		l.list = append(l.list, Constraint{one.Common, k})
	}
	l.last = nil
	return true
}

// constraints are those that were added, as a problem has them: a change to them changes none of
// the collection.
func (l *collection) constraints() []Constraint {
	out := slices.Clone(l.list)
	for from := 0; from < len(out); {
		s, n := *out[from].Common, 1
		if s.grows != nil {
			s.members, s.grows = s.grows.finished(), nil
		}
		if s.members != nil {
			n = s.members.Plan.N
		}
		for k := from; k < from+n; k++ {
			out[k].Common = &s
		}
		if s.members != nil && !s.members.Plan.Finite() { // a message will name the first that is not
			part(out[from:])
		}
		from += n
	}
	return out
}

// part makes constraints of their own of the members that list begins with.
func part(list []Constraint) {
	for k := range list[0].members.Plan.N {
		list[k] = stated(list[k].alone())
	}
}
