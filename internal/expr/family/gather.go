package family

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// FewestMembers is from how many members on a family is made: from about that
// number on its value costs no more than the values of its members.
// Source: BenchmarkFamily: 0.9 times as much for hinges, 0.8 for norms, 0.6 for minima of squares.
const FewestMembers = 16

// gathering is a family that grows.
type gathering struct {
	g     *graph.Graph
	w     []float64
	first int // the term that it began with
}

// GatherFamilies replaces terms that differ in numbers alone by families, and families of as many
// members by one: rows that they share are computed once.
func GatherFamilies(terms []expr.Term, of *convex.Space) []expr.Term {
	some := slices.ContainsFunc(terms, func(t expr.Term) bool { return FamilyIn(t.F) != nil })
	if len(terms) < FewestMembers && !some {
		return terms
	}
	var r Reader
	groups := map[uint64][]*gathering{}
	member := make([]*gathering, len(terms))
	for k, t := range terms {
		if g, ok := r.read(t.F); ok {
			member[k] = gatherIn(groups, g, k)
			member[k].w = graph.Append(member[k].w, member[k].g.N-1, t.W)
		}
	}
	var out []expr.Term
	for k, t := range terms {
		switch g := member[k]; {
		case g == nil || g.g.N < FewestMembers:
			out = append(out, t)
		case g.first == k:
			for i, part := range g.g.Done().Repeated() {
				w := g.w
				if len(w) > 1 {
					w = graph.Pack(w[i*part.N : (i+1)*part.N])
				}
				out = append(out, expr.Term{W: 1, F: newFamily(part, w, of).joined()})
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
func (f *Family) joined() convex.Func {
	if f.Plan.Last().Is(atom.Min) {
		return &LeastFamily{f}
	}
	return f.function()
}

// joinFamilies makes one family of those that have as many members, but for majorants.
func joinFamilies(terms []expr.Term, of *convex.Space) []expr.Term {
	plain := func(f convex.Func) *Family {
		if _, is := f.(expr.Majorant); is {
			return nil
		}
		return FamilyIn(f)
	}
	var out []expr.Term
	done := make([]bool, len(terms))
	for k, t := range terms {
		f := plain(t.F)
		if f == nil || done[k] {
			if !done[k] {
				out = append(out, t)
			}
			continue
		}
		var graphs []*graph.Graph
		var weights [][]float64
		for i := k; i < len(terms); i++ {
			if g := plain(terms[i].F); g != nil && g.Plan.N == f.Plan.N {
				done[i] = true
				graphs, weights = append(graphs, g.Plan.Graph), append(weights, graph.Scale([]float64{terms[i].W}, g.w))
			}
		}
		if len(graphs) > 1 {
			t = expr.Term{W: 1, F: newFamily(graph.Together(graphs, weights), []float64{1}, of).function()}
		}
		out = append(out, t)
	}
	return out
}

// GatherTerms makes families of the terms of e, of its h, and one square of the squares of g.
func GatherTerms(e *expr.Scalar) {
	if len(e.Terms) < FewestMembers && !e.WithFamilies() || e.Err != nil {
		return
	}
	s := *e.Split()
	s.G, s.H = GatherLeast(stackSquares(s.G), e.Of), GatherFamilies(s.H, e.Of)
	e.Terms = GatherFamilies(e.Terms, e.Of)
	e.ReplaceSplit(s)
}

// stackSquares makes one term of all sums of squares with one weight.
func stackSquares(terms []expr.Term) []expr.Term {
	parts := map[float64][]convex.Array{}
	for _, t := range terms {
		if a := expr.RowAt(t.F, atom.SumSquares); a != nil {
			parts[t.W] = append(parts[t.W], *a)
		}
	}
	var out []expr.Term
	for _, t := range terms {
		if expr.RowAt(t.F, atom.SumSquares) == nil || len(parts[t.W]) == 1 {
			out = append(out, t)
		} else if list := parts[t.W]; list != nil {
			out, parts[t.W] = append(out, expr.Term{W: t.W, F: expr.NewVectorAtom(atom.SumSquares, nil,
				convex.Stack(list...))}), nil
		}
	}
	return out
}

// GatherLeast makes families of the least of some functions among terms.
func GatherLeast(terms []expr.Term, of *convex.Space) []expr.Term {
	var least, rest []expr.Term
	for _, t := range terms {
		if _, ok := t.F.(*LeastOf); ok {
			least = append(least, t)
		} else {
			rest = append(rest, t)
		}
	}
	return append(rest, GatherFamilies(least, of)...)
}
