package convex

import (
	"math"
)

// Magnitude is at least |l| by t ≥ ±l, or, where l has more than a few
// coefficients, which are then stated once, t = u + v, l = u − v, u, v ≥ 0.
func Magnitude(c Canon, l Linear) Linear {
	const few = 2 // Source: derived: the two rows have one entry more by then, and a column and two bounds less
	if len(l.Idx) <= few {
		b := Beside(c.Var(), 2*len(l.Idx), 2)
		c.Row(b.Plus(l, -1), math.Inf(-1), 0)
		c.Row(b.Plus(l, 1), 0, math.Inf(1))
		return b.Alone()
	}
	u, v := Column(c), Column(c)
	c.Row(u, 0, math.Inf(1))
	c.Row(v, 0, math.Inf(1))
	c.Row(l.AddScaled(-1, u.AddScaled(-1, v)), 0, 0)
	return u.AddScaled(1, v)
}

// Besides makes functions with a new column t, the last one there is, in one
// piece of memory.
type Besides struct {
	t   int
	idx []int
	val []float64
}

// Beside has room for functions with so many coefficients in all.
func Beside(t, coefficients, functions int) Besides {
	n := coefficients + functions + 1
	return Besides{t, make([]int, 0, n), make([]float64, 0, n)}
}

// Plus is l + w·t.
func (b *Besides) Plus(l Linear, w float64) Linear {
	from := len(b.idx)
	b.idx, b.val = append(append(b.idx, l.Idx...), b.t), append(append(b.val, l.Val...), w)
	to := len(b.idx)
	return Linear{b.idx[from:to:to], b.val[from:to:to], l.Const, l.Of, l.Lost}
}

// Alone is t.
func (b *Besides) Alone() Linear { return b.Plus(Linear{}, 1) }
