package family

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/graph/pass"
)

// withMajorant is the sum times a weight as its majorant, if it has one.
func (f *mixedFamily) withMajorant(w float64) (_ expr.Term, ok bool) {
	switch {
	case w < 0 || slices.Min(f.w) < 0:
		return expr.Term{}, false
	case f.IsGap() && f.Plan.IsGap():
		return expr.Term{W: w, F: &aboveFamily{f.Family}}, true
	case f.Plan.IsLeast():
		return expr.Term{W: w, F: &LeastFamily{f.Family}}, true
	}
	return expr.Term{}, false
}

// LeastFamily is the sum of members that are the least of some convex quadratic functions each, as
// a majorant: see leastOf.
type LeastFamily struct{ *Family }

func (l *LeastFamily) IsMajorant() {}
func (l *LeastFamily) Node() expr.Node {
	return expr.Node{Name: "least family", Nums: []float64{float64(l.Plan.N)}}
}
func (l *LeastFamily) String() string { return "sum of least" }

func (l *LeastFamily) Represent(convex.Canon) convex.Form {
	p, top := l.Plan, l.Plan.Last()
	k := top.Function.Extremes(top.P)
	choices := func(place func(i, j int) int32) convex.Choices { return pass.NewLeast(p, l.w, k, place) }
	return convex.Form{Least: []convex.Least{{Weight: 1, Sums: p.N, Of: top.Group, K: k, Item: l.item,
		Smallest: p.Smallest, Choices: choices}}}
}

// item is function k of a member, a sum of squares.
func (l *LeastFamily) item(i, k int) convex.Form {
	for _, a := range l.Plan.Last().Args {
		n := l.Plan.Nodes[a].W
		if k < n {
			return convex.Form{}.AddScaled(graph.At(l.w, i), l.form(a, k, i))
		}
		k -= n
	}
	return convex.Form{}
}

// form is entry e of node k of member i as a Form.
func (f *Family) form(k, e, i int) convex.Form {
	n := &f.Plan.Nodes[k]
	if n.Is(atom.SumSquares) {
		rows := f.pieces(nil, n, i)[e*n.Group : (e+1)*n.Group]
		return convex.Form{Quad: []convex.Quadratic{{Weight: 1, Arg: convex.Entries(rows...)}}}
	}
	out := convex.Form{}
	if len(n.Rows) > 0 {
		out.Linear = linearOf(&n.Rows[e], i, f.of)
	}
	for a, arg := range n.Args {
		out = out.AddScaled(graph.At(n.Weights[a], i), f.form(arg, e, i))
	}
	return out
}

// aboveFamily is a sum of members |e| with e that are no affine functions, as the majorants of its
// members.
type aboveFamily struct{ *Family }

func (f *aboveFamily) IsMajorant() {}
func (f *aboveFamily) Node() expr.Node {
	return expr.Node{Name: "above family", Nums: []float64{float64(f.Plan.N)}}
}
func (f *aboveFamily) String() string { return "sum of abs" }

// aboveCanon is implemented by a Canon that takes rows of all members at once: each member, with
// its tangent, is at most a column, the first of these first. It is optional and found by
// assertion; ok is false where rows have to be stated one by one.
type aboveCanon interface {
	Above(tangents []*pass.Tangent, first func() int) (ok bool)
}

// Represent states the rows of all members at once, or adds their forms one after the other, as in
// ColumnAbove.
func (f *aboveFamily) Represent(c convex.Canon) convex.Form {
	e := &f.Plan.Nodes[f.Plan.Last().Args[0]]
	if to, ok := c.(aboveCanon); ok {
		if t := f.tangents(e); t != nil {
			above := convex.Linear{Idx: make([]int, f.Plan.N), Val: make([]float64, f.Plan.N)}
			columns := func() int {
				for i := range above.Idx {
					above.Idx[i], above.Val[i] = c.Var(), graph.At(f.w, i)
				}
				return above.Idx[0]
			}
			if to.Above(t, columns) {
				return convex.Form{Linear: above}
			}
		}
	}
	lins, weights := make([]convex.Linear, 0, f.Plan.N), make([]float64, 0, f.Plan.N)
	if r, ok := c.(convex.Roomy); ok {
		pieces := 0
		for _, a := range e.Args {
			pieces += f.Plan.Nodes[a].Group
		}
		r.Room(0, f.Plan.N*pieces)
	}
	for i := range f.Plan.N {
		convexPart, concavePart := expr.Split{}, expr.Split{}
		if len(e.Rows) > 0 {
			convexPart.Lin = linearOf(&e.Rows[0], i, f.of)
		}
		for k, a := range e.Args {
			m := expr.Term{W: math.Abs(graph.At(e.Weights[k], i)), F: expr.MaxOfAffine(f.pieces(nil,
				&f.Plan.Nodes[a], i))}
			if graph.At(e.Weights[k], i) > 0 {
				convexPart.G = append(convexPart.G, m)
			} else {
				concavePart.G = append(concavePart.G, m)
			}
		}
		above := expr.ColumnAbove(c, convexPart.Function(), concavePart.Function())
		lins, weights = append(lins, above), append(weights, graph.At(f.w, i))
	}
	return convex.Form{Linear: convex.SumLinear(lins, weights)}
}

// tangents are for the rows of all members, of a difference e of two maxima: each piece of one
// less the other, and the other way round. nil: the rows have no common form, or a column for a
// maximum is less.
func (f *aboveFamily) tangents(e *graph.Node) (out []*pass.Tangent) {
	if len(e.Args) != 2 {
		return nil
	}
	for side := range 2 {
		g, h := &f.Plan.Nodes[e.Args[side]], &f.Plan.Nodes[e.Args[1-side]]
		plus, minus := e.Weights[side], e.Weights[1-side]
		sign := 1.0
		if slices.Max(plus) < 0 {
			sign = -1
		}
		plus, minus = graph.Scale([]float64{sign}, plus), graph.Scale([]float64{sign}, minus)
		if !(slices.Min(plus) > 0) || !(slices.Max(minus) < 0) || !fewPieces(f.Plan.Graph, g, h) {
			return nil
		}
		for _, a := range g.Args {
			for p := range f.Plan.Nodes[a].Rows {
				t, ok := f.tangentOf(e, &f.Plan.Nodes[a].Rows[p], plus, sign, e.Args[1-side], minus)
				if !ok {
					return nil
				}
				out = append(out, t)
			}
		}
	}
	return out
}

// fewPieces reports whether h written out for each piece of g costs no more than a column above g.
func fewPieces(of *graph.Graph, g, h *graph.Node) bool {
	variables := func(n *graph.Node) (count int) {
		for _, a := range n.Args {
			for r := range of.Nodes[a].Rows {
				count += len(of.Nodes[a].Rows[r].Idx)
			}
		}
		return count
	}
	return expr.FewPieces(g.Group, variables(g), variables(h))
}

// tangentOf is for the rows plus·piece + sign·l + minus·h ≤ t, l the affine part of e.
func (f *aboveFamily) tangentOf(
	e *graph.Node, piece *graph.Row, plus []float64, sign float64, h int, minus []float64,
) (t *pass.Tangent, ok bool) {
	var l graph.Terms
	l.Add(plus, piece)
	for k := range e.Rows {
		l.Add([]float64{sign}, &e.Rows[k])
	}
	row, ok := l.Row()
	if !ok {
		return nil, false
	}
	g := f.Plan.Graph.Of(h)
	g.Add(graph.Node{Op: graph.Sum, Rows: []graph.Row{row}, Args: []int{g.Top()}, Weights: [][]float64{minus}})
	return pass.NewTangent(pass.NewPlan(g), []bool{true})
}

// MajoriseObjective is majorise for an objective, which may have leastOf too.
func MajoriseObjective(e expr.Scalar) expr.Scalar {
	e = e.Apart(func(t expr.Term) bool {
		f, mixed := t.F.(*mixedFamily)
		if mixed {
			_, ok := f.withMajorant(t.W)
			mixed = !ok
		}
		return mixed
	})
	return e.MajoriseBy(func(t expr.Term) (expr.Term, bool) {
		if f, ok := t.F.(*mixedFamily); ok {
			return f.withMajorant(t.W)
		}
		if w, l := NewLeastOf(t.W, t.F); l != nil {
			return expr.Term{W: w, F: l}, true
		}
		return t.Majorant()
	})
}
