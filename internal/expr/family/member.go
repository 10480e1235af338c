package family

import (
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/rule"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/graph/pass"
)

// Member is one of Members as a function, without the split that Members.Expr has.
type Member struct {
	of *Members
	k  int
}

// At is member k as a function.
func (m *Members) At(k int) Member { return Member{m, k} }

func (m Member) Value(x []float64) float64 { return m.of.Plan.Member(m.k, x) }
func (m Member) Support() []int            { return m.of.Support(m.k) }
func (m Member) Smooth() bool              { return m.of.Plan.Smooth() }
func (m Member) Size(x []float64) float64  { return m.of.Plan.MemberSize(m.k, x) }
func (m Member) Approx(x []float64) (a convex.Approx) {
	m.of.Plan.ErrorsOf(m.k, m.k+1, x, func(b *pass.Block) { a = convex.Approx{V: b.Values[0], E: b.Errors[0]} })
	return a
}
func (m Member) AddSubgrad(dst []float64, scale float64, x []float64) {
	m.of.Plan.AddMember(dst, scale, m.k, x)
}

// MemberOf is node k of member i, which has one entry, as an expression.
func MemberOf(g *graph.Graph, k int, of *convex.Space, i int) expr.Scalar {
	return entriesOf(g, k, of, i)[0]
}

// entriesOf are the entries of node k of member i.
func entriesOf(g *graph.Graph, k int, of *convex.Space, i int) []expr.Scalar {
	n := &g.Nodes[k]
	var args []expr.Scalar
	for _, a := range n.Args {
		args = append(args, entriesOf(g, a, of, i)...)
	}
	out := make([]expr.Scalar, n.W)
	for e := range out {
		switch n.Op {
		case graph.Affine:
			out[e] = expr.Scalar{Lin: linearOf(&n.Rows[e], i, of)}
		case graph.Sum:
			parts := make([]expr.Scalar, 0, 1+len(n.Args))
			if len(n.Rows) > 0 {
				parts = append(parts, expr.Scalar{Lin: linearOf(&n.Rows[e], i, of)})
			}
			for a := range n.Args {
				parts = append(parts, args[a*n.W+e].Scale(graph.At(n.Weights[a], i)))
			}
			out[e] = expr.SumOf(parts)
		case graph.Apply:
			out[e] = expr.Apply(expr.CurveOf(n.Curve, n.Parameter()), args[e])
		default:
			out[e] = reduced(n, args[e*n.Group:(e+1)*n.Group])
		}
	}
	return out
}

// reduced is a function of a group as an expression.
func reduced(n *graph.Node, group []expr.Scalar) expr.Scalar {
	if n.Is(atom.Norm1) && len(group) == 1 {
		return expr.AbsOf(group[0])
	}
	return rule.ApplyRow(n.Function, n.P, expr.ListOf([]int{len(group)}, group))
}

// linearOf is a row of member i.
func linearOf(r *graph.Row, i int, of *convex.Space) convex.Linear {
	return appendRow(convex.Linear{Idx: make([]int, 0, len(r.Idx)), Val: make([]float64, 0, len(r.Idx))}, r, i, of)
}

// appendRow is linearOf in the room of l, which has no coefficients.
func appendRow(l convex.Linear, r *graph.Row, i int, of *convex.Space) convex.Linear {
	l.Const, l.Of, l.Lost = graph.At(r.C, i), of, r.Lost
	for t := range r.Idx {
		l.Idx, l.Val = append(l.Idx, int(graph.At(r.Idx[t], i))), append(l.Val, graph.At(r.Val[t], i))
	}
	return l
}
