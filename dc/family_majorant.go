package dc

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// withMajorant is the sum times a weight as its majorant, if it has one.
func (f *mixedFamily) withMajorant(w float64) (_ term, ok bool) {
	switch {
	case w < 0 || slices.Min(f.w) < 0:
		return term{}, false
	case f.isGap() && f.plan.IsGap():
		return term{w, &aboveFamily{f.family}}, true
	case f.plan.IsLeast():
		return term{w, &leastFamily{f.family}}, true
	}
	return term{}, false
}

// leastFamily is the sum of members that are the least of some convex quadratic functions each, as
// a majorant: see leastOf.
type leastFamily struct{ *family }

func (l *leastFamily) isMajorant() {}
func (l *leastFamily) node() Node {
	return Node{op: "least family", nums: []float64{float64(l.plan.N)}}
}
func (l *leastFamily) String() string { return "sum of least" }

func (l *leastFamily) Represent(convex.Canon) convex.Form {
	of := l.plan.Last().Group
	return convex.Form{Least: []convex.Least{{Weight: 1, Sums: l.plan.N, Of: of, K: 1, Item: l.item, Plan: l.plan,
		W: l.w}}}
}

// item is function k of a member, a sum of squares.
func (l *leastFamily) item(i, k int) convex.Form {
	for _, a := range l.plan.Last().Args {
		n := l.plan.Nodes[a].W
		if k < n {
			return convex.Form{}.AddScaled(graph.At(l.w, i), l.form(a, k, i))
		}
		k -= n
	}
	return convex.Form{}
}

// form is entry e of node k of member i as a Form.
func (f *family) form(k, e, i int) convex.Form {
	n := &f.plan.Nodes[k]
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
type aboveFamily struct{ *family }

func (f *aboveFamily) isMajorant() {}
func (f *aboveFamily) node() Node {
	return Node{op: "above family", nums: []float64{float64(f.plan.N)}}
}
func (f *aboveFamily) String() string { return "sum of abs" }

// Represent adds the forms of the members one after the other, as in absAbove.
func (f *aboveFamily) Represent(c convex.Canon) convex.Form {
	e := &f.plan.Nodes[f.plan.Last().Args[0]]
	lins, weights := make([]convex.Linear, 0, f.plan.N), make([]float64, 0, f.plan.N)
	if r, ok := c.(convex.Roomy); ok {
		pieces := 0
		for _, a := range e.Args {
			pieces += f.plan.Nodes[a].Group
		}
		r.Room(0, f.plan.N*pieces)
	}
	for i := range f.plan.N {
		convexPart, concavePart := split{}, split{}
		if len(e.Rows) > 0 {
			convexPart.lin = linearOf(&e.Rows[0], i, f.of)
		}
		for k, a := range e.Args {
			m := term{math.Abs(graph.At(e.Weights[k], i)), newMaxOfAffine(f.pieces(nil, &f.plan.Nodes[a], i))}
			if graph.At(e.Weights[k], i) > 0 {
				convexPart.g = append(convexPart.g, m)
			} else {
				concavePart.g = append(concavePart.g, m)
			}
		}
		above := absAbove{}
		above.g, above.h = []convex.Representer{convexPart.function()}, []convex.Representer{concavePart.function()}
		lins, weights = append(lins, above.column(c)), append(weights, graph.At(f.w, i))
	}
	return convex.Form{Linear: convex.SumLinear(lins, weights)}
}
