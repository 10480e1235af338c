package expr

import (
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// canon gives the rows of the table of functions a Canon for the representation of a function of u.
type canon struct {
	c convex.Canon
	u []convex.Linear
}

func (k *canon) Column() atom.Lin {
	return atom.Lin{Terms: []atom.Term{{At: k.c.Var(), W: 1}}}
}

func (k *canon) Row(l atom.Lin, lo, hi float64) { k.c.Row(k.linear(l), lo, hi) }
func (k *canon) Cone(q atom.Cone)               { k.c.Cone(k.cone(q)) }

func (k *canon) Abs(l atom.Lin) (out atom.Lin) {
	m := convex.Magnitude(k.c, k.linear(l))
	for i, j := range m.Idx {
		out.Terms = append(out.Terms, atom.Term{At: j, W: m.Val[i]})
	}
	return out
}

// linear is l of the columns.
func (k *canon) linear(l atom.Lin) convex.Linear {
	parts, weights := make([]convex.Linear, 0, len(l.Terms)+1), make([]float64, 0, len(l.Terms)+1)
	for _, t := range l.Terms {
		weights = append(weights, t.W)
		if t.At < 0 {
			parts = append(parts, k.u[^t.At])
		} else {
			parts = append(parts, convex.Linear{Idx: []int{t.At}, Val: []float64{1}})
		}
	}
	if l.C != 0 || len(parts) == 0 {
		parts, weights = append(parts, convex.Linear{Const: l.C}), append(weights, 1)
	}
	return convex.SumLinear(parts, weights)
}

func (k *canon) form(b atom.Bound) convex.Form {
	out := convex.Form{Linear: k.linear(b.Lin)}
	if len(b.Squares) > 0 {
		rows := make([]convex.Linear, len(b.Squares))
		for i, l := range b.Squares {
			rows[i] = k.linear(l)
		}
		out.Quad = []convex.Quadratic{{Weight: 1, Arg: convex.Entries(rows...)}}
	}
	return out
}

// coneKinds are the kinds of the table.
var coneKinds = [...]convex.ConeKind{
	atom.SecondOrderCone: convex.SecondOrderCone,
	atom.ExponentialCone: convex.ExponentialCone,
	atom.PowerCone:       convex.PowerCone,
}

func (k *canon) cone(q atom.Cone) convex.Cone {
	out := convex.Cone{Kind: coneKinds[q.Kind], Alpha: q.Alpha, Rows: make([]convex.Linear, len(q.Rows))}
	for i, l := range q.Rows {
		out.Rows[i] = k.linear(l)
	}
	return out
}

// arguments are n numbers of a function.
func arguments(n int) []atom.Lin {
	out := make([]atom.Lin, n)
	for k := range out {
		out[k] = atom.Argument(k)
	}
	return out
}
