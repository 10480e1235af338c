package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/graph/atom"
)

// canon gives the rows of the table of functions a Canon for the representation of a function of u.
type canon struct {
	c Canon
	u []Linear
}

func (k *canon) Column() atom.Lin {
	return atom.Lin{Terms: []atom.Term{{At: k.c.Var(), W: 1}}}
}

func (k *canon) Row(l atom.Lin, lo, hi float64) { k.c.Row(k.linear(l), lo, hi) }
func (k *canon) Cone(q atom.Cone)               { k.c.Cone(k.cone(q)) }

func (k *canon) Abs(l atom.Lin) (out atom.Lin) {
	m := magnitude(k.c, k.linear(l))
	for i, j := range m.Idx {
		out.Terms = append(out.Terms, atom.Term{At: j, W: m.Val[i]})
	}
	return out
}

// linear is l of the columns.
func (k *canon) linear(l atom.Lin) Linear {
	parts, weights := make([]Linear, 0, len(l.Terms)+1), make([]float64, 0, len(l.Terms)+1)
	for _, t := range l.Terms {
		weights = append(weights, t.W)
		if t.At < 0 {
			parts = append(parts, k.u[^t.At])
		} else {
			parts = append(parts, Linear{Idx: []int{t.At}, Val: []float64{1}})
		}
	}
	if l.C != 0 || len(parts) == 0 {
		parts, weights = append(parts, Linear{Const: l.C}), append(weights, 1)
	}
	return sumLinear(parts, weights)
}

func (k *canon) form(b atom.Bound) Form {
	out := Form{Linear: k.linear(b.Lin)}
	if len(b.Squares) > 0 {
		rows := make([]Linear, len(b.Squares))
		for i, l := range b.Squares {
			rows[i] = k.linear(l)
		}
		out.Quad = []Quadratic{{Weight: 1, Arg: Entries(rows...)}}
	}
	return out
}

// coneKinds are the kinds of the table.
var coneKinds = [...]ConeKind{
	atom.SecondOrderCone: SecondOrderCone, atom.ExponentialCone: ExponentialCone, atom.PowerCone: PowerCone,
}

func (k *canon) cone(q atom.Cone) Cone {
	out := Cone{Kind: coneKinds[q.Kind], Alpha: q.Alpha, Rows: make([]Linear, len(q.Rows))}
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

// magnitude is at least |l| by t ≥ ±l, or, where l has more than a few
// coefficients, which are then stated once, t = u + v, l = u − v, u, v ≥ 0.
func magnitude(c Canon, l Linear) Linear {
	const few = 2 // Source: derived: the two rows have one entry more by then, and a column and two bounds less
	if len(l.Idx) <= few {
		b := beside(c.Var(), 2*len(l.Idx), 2)
		c.Row(b.plus(l, -1), math.Inf(-1), 0)
		c.Row(b.plus(l, 1), 0, math.Inf(1))
		return b.alone()
	}
	u, v := column(c), column(c)
	c.Row(u, 0, math.Inf(1))
	c.Row(v, 0, math.Inf(1))
	c.Row(l.AddScaled(-1, u.AddScaled(-1, v)), 0, 0)
	return u.AddScaled(1, v)
}

// besides makes functions with a new column t, the last one there is, in one
// piece of memory.
type besides struct {
	t   int
	idx []int
	val []float64
}

// beside has room for functions with so many coefficients in all.
func beside(t, coefficients, functions int) besides {
	n := coefficients + functions + 1
	return besides{t, make([]int, 0, n), make([]float64, 0, n)}
}

// plus is l + w·t.
func (b *besides) plus(l Linear, w float64) Linear {
	from := len(b.idx)
	b.idx, b.val = append(append(b.idx, l.Idx...), b.t), append(append(b.val, l.Val...), w)
	to := len(b.idx)
	return Linear{b.idx[from:to:to], b.val[from:to:to], l.Const, l.of, l.lost}
}

// alone is t.
func (b *besides) alone() Linear { return b.plus(Linear{}, 1) }
