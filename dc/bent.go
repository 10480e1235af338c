package dc

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/graph/atom"
)

// bent is q − sign·f: convex within the bounds of the variables, with values and subgradients
// alone.
type bent struct {
	t *tangential
	q *vectorAtom // a sum of squares; nil: 0
}

// bounded is the split of −t, where the second derivative of t has bounds.
func (t *tangential) bounded() (split, bool) {
	if c, ok := t.f.(interface {
		splitBy(sign float64) (split, bool)
	}); ok {
		if s, ok := c.splitBy(-t.sign); ok {
			return s, true
		}
	}
	b, ok := bendsOfFunction(t.f)
	if !ok {
		return split{}, false
	}
	list := b.up
	if t.sign > 0 { // it stands for −t
		list = b.down
	}
	rows := make([]Linear, 0, len(list))
	for _, s := range list {
		if !finite(s.w) {
			return split{}, false
		}
		if s.w > 0 {
			rows = append(rows, centred(s.a).Scale(math.Sqrt(s.w/2)))
		}
	}
	out := split{h: []term{{1, &bent{t, nil}}}}
	if len(rows) > 0 {
		a := Entries(rows...)
		q := newVectorAtom(atom.SumSquares, nil, a)
		out.g = []term{{1, q}}
		out.h = []term{{1, &bent{t, q}}}
	}
	return out, true
}

func (b *bent) Value(x []float64) float64 {
	v := b.t.Value(x)
	if b.q != nil {
		v += b.q.Value(x)
	}
	return v
}

func (b *bent) AddSubgrad(dst []float64, scale float64, x []float64) {
	b.t.AddSubgrad(dst, scale, x)
	if b.q != nil {
		b.q.AddSubgrad(dst, scale, x)
	}
}

func (b *bent) approx(x []float64) approx {
	var s total
	s.add(b.t.approx(x))
	if b.q != nil {
		s.add(b.q.approx(x))
	}
	return s.approx
}

func (b *bent) Support() []int {
	if b.q != nil {
		return union(b.t.Support(), b.q.Support())
	}
	return b.t.Support()
}

func (b *bent) Smooth() bool            { return b.t.Smooth() }
func (b *bent) Domain() []Representer   { return b.t.Domain() }
func (b *bent) Everywhere() bool        { return b.t.Everywhere() }
func (b *bent) Inside(x []float64) bool { return b.t.Inside(x) }
func (b *bent) String() string          { return fmt.Sprint(b.t.f) }

func (b *bent) node() Node {
	n := b.t.node()
	n.op, n.key = "bent", b
	return n
}

// centred is l less the middle of its range: its square is as small as it can be.
func centred(l Linear) Linear {
	i := l.over()
	if !i.IsFinite() {
		return l
	}
	return l.AddScaled(-1, Linear{Const: i.Lo/2 + i.Hi/2})
}

// splitBy is a split of ±f(e) by bounds of the second derivative of f; ok is false where these do
// not give one.
func (c *curveAtom) splitBy(sign float64) (s split, ok bool) {
	if c.e().withTangents() || c.e().isAffineNow() { // these by bounded
		return split{}, false
	}
	f := c.f
	if sign < 0 {
		f = f.neg()
	}
	return f.boundedSplit(c.e())
}

// boundedSplit is f(e) for an e with a split g − h: with ρ ≥ f″ and F(u) = ½ρu² − f(u), whose
// slopes lie in [−a, b], it is ½ρe² + a·g + b·h − (F(g − h) + a·g + b·h); see lifted.
func (f curve) boundedSplit(e *Expr) (split, bool) {
	s, r := e.split(), f.in(e.Range())
	over := f.neg()
	over.bend = max(f.bends(r).Hi, 0)
	if !finite(over.bend) || over.bend >= steepSlope {
		return split{}, false
	}
	if s.isAffine() {
		rest := split{h: []term{{1, newCurveAtom(over, s.expr(), nil)}}}
		return addSplits([]split{squares(FromLinear(s.lin)), rest}, over.bend/2, 1), true
	}
	rest, err := liftedSplit(over, s, r)
	if err != nil {
		return split{}, false
	}
	parts, weights := []split{rest}, []float64{-1}
	if over.bend > 0 {
		square, err := squareSplit(s)
		if err != nil {
			return split{}, false
		}
		parts, weights = append(parts, square), append(weights, over.bend/2)
	}
	return addSplits(parts, weights...), true
}
