package dc

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// fewestMembers is from how many members on a family is made: from about that
// number on its value costs no more than the values of its members.
// Source: BenchmarkFamily: 0.9 times as much for hinges, 0.8 for norms, 0.6 for minima of squares.
const fewestMembers = 16

// gathering is a family that grows.
type gathering struct {
	g     *graph.Graph
	w     []float64
	first int // the term that it began with
}

// gatherFamilies replaces terms that differ in numbers alone by families, and families of as many
// members by one: rows that they share are computed once.
func gatherFamilies(terms []term, of *convex.Space) []term {
	some := slices.ContainsFunc(terms, func(t term) bool { return familyIn(t.f) != nil })
	if len(terms) < fewestMembers && !some {
		return terms
	}
	var r reader
	groups := map[uint64][]*gathering{}
	member := make([]*gathering, len(terms))
	for k, t := range terms {
		if g, ok := r.read(t.f); ok {
			member[k] = gatherIn(groups, g, k)
			member[k].w = graph.Append(member[k].w, member[k].g.N-1, t.w)
		}
	}
	var out []term
	for k, t := range terms {
		switch g := member[k]; {
		case g == nil || g.g.N < fewestMembers:
			out = append(out, t)
		case g.first == k:
			for i, part := range g.g.Done().Repeated() {
				w := g.w
				if len(w) > 1 {
					w = graph.Pack(w[i*part.N : (i+1)*part.N])
				}
				out = append(out, term{1, newFamily(part, w, of).joined()})
			}
		}
	}
	return joinFamilies(out, of)
}

// gatherIn adds a member to the group of those that are alike.
func gatherIn(groups map[uint64][]*gathering, m *graph.Graph, term int) *gathering {
	form := m.Form()
	for _, g := range groups[form] {
		if g.g.Alike(m) {
			g.g.Append(m)
			return g
		}
	}
	g := &gathering{g: graph.First(m), first: term}
	groups[form] = append(groups[form], g)
	return g
}

// joined is the family as a function: of the least of sums of squares their majorant.
func (f *family) joined() convex.Func {
	if f.plan.Last().Is(atom.Min) {
		return &leastFamily{f}
	}
	return f.function()
}

// joinFamilies makes one family of those that have as many members, but for majorants.
func joinFamilies(terms []term, of *convex.Space) []term {
	plain := func(f convex.Func) *family {
		if _, is := f.(majorant); is {
			return nil
		}
		return familyIn(f)
	}
	var out []term
	done := make([]bool, len(terms))
	for k, t := range terms {
		f := plain(t.f)
		if f == nil || done[k] {
			if !done[k] {
				out = append(out, t)
			}
			continue
		}
		var graphs []*graph.Graph
		var weights [][]float64
		for i := k; i < len(terms); i++ {
			if g := plain(terms[i].f); g != nil && g.plan.N == f.plan.N {
				done[i] = true
				graphs, weights = append(graphs, g.plan.Graph), append(weights, graph.Scale([]float64{terms[i].w}, g.w))
			}
		}
		if len(graphs) > 1 {
			t = term{1, newFamily(graph.Together(graphs, weights), []float64{1}, of).function()}
		}
		out = append(out, t)
	}
	return out
}

// gather makes families of the terms of all functions.
func (p *Problem) gather(look *lookout) error {
	p.objective().gather()
	for k := range p.Constraints {
		if err := look.ended(); err != nil {
			return err
		}
		if c := &p.Constraints[k]; c.DC && c.members == nil {
			c.e.gather()
		}
	}
	return nil
}

// gather makes families of the terms of e, of its h, and one square of the squares of g.
func (e *scalar) gather() {
	if len(e.terms) < fewestMembers && !e.withFamilies() || e.err != nil {
		return
	}
	s := *e.split()
	s.g, s.h = gatherLeast(stackSquares(s.g), e.of), gatherFamilies(s.h, e.of)
	e.terms = gatherFamilies(e.terms, e.of)
	e.replaceSplit(s)
}

// folded is e with the families of its terms that g has, the same expression after gather: the
// members take no memory then.
func (e scalar) folded(g *scalar) scalar {
	if len(g.terms) == len(e.terms) && !e.withFamilies() {
		return e
	}
	return scalar{lin: e.lin, terms: g.terms, composite: true, of: e.of, err: e.err}
}

// stackSquares makes one term of all sums of squares with one weight.
func stackSquares(terms []term) []term {
	parts := map[float64][]convex.Array{}
	for _, t := range terms {
		if a := rowAt(t.f, atom.SumSquares); a != nil {
			parts[t.w] = append(parts[t.w], *a)
		}
	}
	var out []term
	for _, t := range terms {
		if rowAt(t.f, atom.SumSquares) == nil || len(parts[t.w]) == 1 {
			out = append(out, t)
		} else if list := parts[t.w]; list != nil {
			out, parts[t.w] = append(out, term{t.w, newVectorAtom(atom.SumSquares, nil, convex.Stack(list...))}), nil
		}
	}
	return out
}

// gatherLeast makes families of the least of some functions among terms.
func gatherLeast(terms []term, of *convex.Space) []term {
	var least, rest []term
	for _, t := range terms {
		if _, ok := t.f.(*leastOf); ok {
			least = append(least, t)
		} else {
			rest = append(rest, t)
		}
	}
	return append(rest, gatherFamilies(least, of)...)
}
