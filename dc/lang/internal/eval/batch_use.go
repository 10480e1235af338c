package eval

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph"
)

// manyTerms is from how many members on a sum is added up in one batch. Source: as
// family.FewestMembers, from which on terms that are added up one by one become a family as well:
// the batch of 1000 hinges takes 9 ms less.
const manyTerms = 16

// Together lets sums over indices that are parts of n, a sum itself, be added up in one batch. n is
// the objective: elsewhere terms are asked for one by one.
func (ev *Evaluator) Together(n *syntax.Node) {
	if at := ev.NoteOf(n); at.Complex || at.OfComplex {
		return
	}
	switch n.Op {
	case syntax.OpSum:
		for _, a := range n.Args {
			ev.Together(a)
		}
	case syntax.OpNeg:
		ev.Together(n.Args[0])
	case syntax.OpMul, syntax.OpDotMul:
		if ev.withoutVariables(n.Args[0]) {
			ev.Together(n.Args[1])
		}
	case syntax.OpDiv, syntax.OpDotDiv:
		if ev.withoutVariables(n.Args[1]) {
			ev.Together(n.Args[0])
		}
	case syntax.OpReduce:
		ev.NoteOf(n).together = n.Name == "sum"
	}
}

// SumTogether is the sum over indices n in one batch; ok is false where it is to be added up term
// by term.
func (ev *Evaluator) SumTogether(n *syntax.Node) (v value.Value, ok bool) {
	if !ev.NoteOf(n).together || len(ev.Indices) > 0 {
		return v, false
	}
	var s sum
	var parts []dc.Expr
	cost, members := value.Cost{}, 0
	ok = ev.AtOnce(n, n.Binders, n.Cond, manyTerms, func(b *Batch) bool {
		if !b.add(&s, n.Args[0], one(1)) || len(s.nodes) == 0 || !b.room(&s, false, 1) {
			return false
		}
		for k, node := range s.nodes {
			es, ok := b.families(b.graph.Of(node), s.weights[k])
			if !ok {
				return false
			}
			parts = append(parts, es...)
			cost = cost.Plus(value.Cost{Pieces: b.graph.Nodes[node].Group, Parts: b.n, Weight: b.n}.Capped())
		}
		members = b.n
		return true
	})
	if !ok {
		return v, false
	}
	m := ev.sums.Begin()
	a := &ev.sums
	affine := &s.entries[0]
	a.Idx, a.Val = affine.AppendTo(a.Idx, a.Val, members)
	if !affine.IsZero() {
		affine.Constants(members, func(c, size float64) { a.C, a.Size = a.C+c, a.Size+size })
	}
	for _, e := range parts {
		ev.sums.Add(1, value.FromExpr(e, cost), n)
	}
	return ev.total(n, m), true
}

// families are the sums of the members of a graph with weights of one sign each.
func (b *Batch) families(g *graph.Graph, w []float64) (es []dc.Expr, ok bool) {
	if slices.ContainsFunc(w, func(v float64) bool { return v == 0 || v-v != 0 }) {
		return nil, false
	}
	for _, sign := range []float64{1, -1} {
		var list []int32
		for i := range b.n {
			if graph.At(w, i)*sign > 0 {
				list = append(list, int32(i))
			}
		}
		if len(list) == 0 {
			continue
		}
		part, sizes := g, graph.Map(w, w, func(v, _ float64) float64 { return math.Abs(v) })
		if len(list) < b.n {
			part, sizes = g.Take(list), make([]float64, len(list))
			for i, k := range list {
				sizes[i] = math.Abs(w[k])
			}
		}
		e, ok := dc.FamilyOf(b.ev.Model, part, sizes)
		if !ok {
			return nil, false
		}
		es = append(es, e.Scale(sign))
	}
	return es, true
}

// Constraints are l ≤ r of all members as a graph that ends in a sum E with an affine row, for E ≤
// 0; ok is false where they are to be stated one by one.
func (b *Batch) Constraints(l, r *syntax.Node) (g *graph.Graph, ok bool) {
	var s sum
	if !b.add(&s, l, one(1)) || !b.add(&s, r, one(-1)) || len(s.nodes) == 0 || !b.room(&s, false, 1) {
		return nil, false
	}
	row, ok := s.entries[0].Row()
	if !ok {
		return nil, false
	}
	row.C = graph.Map(row.C, row.C, func(c, _ float64) float64 { return c + 0 }) // not -0
	e, ok := b.total(&s, row)
	if !ok {
		return nil, false
	}
	return b.graph.Of(e), true
}

// Rows are the members of a family of affine functions or numbers, in a shape; ok is false where
// they are to be evaluated one by one.
func (b *Batch) Rows(n *syntax.Node, shape []int) (_ value.Value, ok bool) {
	a := convex.Array{Shape: slices.Clone(shape), Of: b.ev.Model.Program().Space, Ptr: make([]int, 1, b.n+1)}
	for lo := 0; lo < b.n; lo += mostAtOnce {
		if !b.part(lo, min(mostAtOnce, b.n-lo)).rows(n, &a) {
			return value.Value{}, false
		}
	}
	if a.IsConst() {
		return value.Marked(value.Array(shape, a.C)), true
	}
	return value.FromAffine(dc.FromAffine(a)), true
}

// rows is Rows of all members of one batch.
func (b *Batch) rows(n *syntax.Node, to *convex.Array) bool {
	s, r, ok := b.scalar(n, 1)
	if !ok || len(s.nodes) > 0 || !(&graph.Graph{Nodes: []graph.Node{{Rows: []graph.Row{r}}}}).Finite() {
		return false
	}
	b.ev.Spend(n, UnitsCoeff*len(r.Idx)*b.n)
	to.Idx, to.Val = slices.Grow(to.Idx, b.n*len(r.Idx)), slices.Grow(to.Val, b.n*len(r.Idx))
	for i := range b.n {
		for t := range r.Idx {
			to.Idx, to.Val = append(to.Idx, int(graph.At(r.Idx[t], i))), append(to.Val, graph.At(r.Val[t], i))
		}
		to.Ptr = append(to.Ptr, len(to.Idx))
	}
	to.C = slices.Grow(to.C, b.n)
	s.entries[0].Constants(b.n, func(c, size float64) {
		to.C, to.Lost = append(to.C, c), max(to.Lost, size-math.Abs(c))
	})
	return true
}
