package dc

import (
	"github.com/dcopt/dcopt/internal/num"
)

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
func (f curve) boundedSplit(e *scalar) (split, bool) {
	s, r := e.split(), f.in(e.Range())
	over := f.neg()
	over.bend = max(f.Bends(r).Hi, 0)
	if !num.Finite(over.bend) || over.bend >= steepSlope {
		return split{}, false
	}
	if s.isAffine() {
		rest := split{h: []term{{1, newCurveAtom(over, s.expr(), nil)}}}
		return addSplits([]split{squares(s.lin.Number()), rest}, over.bend/2, 1), true
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
