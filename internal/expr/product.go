package expr

import (
	"errors"
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// Squares is the sum of squares as a split.
func Squares(a convex.Array) Split {
	f := NewVectorAtom(atom.SumSquares, nil, a)
	if a.IsConst() {
		return Split{Lin: convex.Linear{Const: f.Value(nil)}}
	}
	return ConvexSplit(f)
}

// Balance is the power of two nearest to the α with which αu and v/α have ranges
// of one width; 1 where one has no finite width, or is constant.
func Balance(u, v interval.Interval) float64 {
	ratio := (v.Hi - v.Lo) / (u.Hi - u.Lo)
	if !(ratio > 0) || math.IsInf(ratio, 1) {
		return 1
	}
	return math.Exp2(math.Round(math.Log2(ratio) / 2))
}

// ErrProduct is the error of a product without a split.
var ErrProduct = errors.New("dc: no split is known for this product or square: a factor is not bounded from below; " +
	"give its variables bounds")

// signedParts is a function as p − q + l with convex p, q ≥ 0.
type signedParts struct {
	P, Q Split
	L    convex.Linear
}

// NonnegativeParts lifts the convex functions of a split to where they are ≥ 0:
// by the lower ends of their ranges or, where there are none, by a tangent. An
// affine part that is bounded on one side goes with them; then l is constant.
func NonnegativeParts(s *Split) (signedParts, error) {
	out := signedParts{L: s.Lin}
	for side, terms := range [2][]Term{s.G, s.H} {
		sign, part := 1-2*float64(side), &out.P
		if side == 1 {
			part = &out.Q
		}
		for _, t := range terms {
			low := convex.Linear{Const: convex.RangeOf(t.F).Lo}
			if math.IsInf(low.Const, 0) {
				var ok bool
				if low, ok = minorant(t.F); !ok {
					return out, ErrProduct
				}
			}
			part.G = append(part.G, t)
			part.Lin = part.Lin.AddScaled(-t.W, low)
			out.L = out.L.AddScaled(sign*t.W, low)
		}
	}
	switch i := out.L.Over(); {
	case out.L.IsConst():
	case !math.IsInf(i.Lo, 0):
		out.P.Lin = out.P.Lin.AddScaled(1, out.L).AddScaled(-1, convex.Linear{Const: i.Lo})
		out.L = convex.Linear{Const: i.Lo}
	case !math.IsInf(i.Hi, 0):
		out.Q.Lin = out.Q.Lin.AddScaled(-1, out.L).AddScaled(1, convex.Linear{Const: i.Hi})
		out.L = convex.Linear{Const: i.Hi}
	}
	return out, nil
}

// minorant is a tangent of f: an affine function below it.
func minorant(f convex.Func) (convex.Linear, bool) {
	idx := f.Support()
	if len(idx) == 0 {
		return convex.Linear{}, false
	}
	n := idx[len(idx)-1] + 1
	x, grad := make([]float64, n), make([]float64, n)
	for _, at := range []float64{0, 1, 0.5, 2} { // until one is in the domain
		for _, j := range idx {
			x[j] = at
		}
		if r, ok := f.(convex.Restricted); ok && !r.Inside(x) {
			continue // the slope may be infinite
		}
		v := f.Value(x)
		clear(grad)
		f.AddSubgrad(grad, 1, x)
		l := convex.Linear{Const: v}
		for _, j := range idx {
			l.Const -= grad[j] * x[j]
			if grad[j] != 0 {
				l.Idx, l.Val = append(l.Idx, j), append(l.Val, grad[j])
			}
		}
		if !convex.NotFinite(l) {
			return l, true
		}
	}
	return convex.Linear{}, false
}

// ConvexProduct is p·q for convex p, q ≥ 0.
func ConvexProduct(p, q Split) Split {
	switch {
	case p.IsConst():
		return q.Scale(p.Lin.Const)
	case q.IsConst():
		return p.Scale(q.Lin.Const)
	}
	α := Balance(p.Over(), q.Over())
	u, v := p.Scale(α), q.Scale(1/α)
	both := AddSplits([]Split{u, v})
	return AddSplits([]Split{convexSquare(both), convexSquare(u), convexSquare(v)}, 0.5, -0.5, -0.5)
}

// AffineProduct is l·p for a convex p ≥ 0.
func AffineProduct(l convex.Linear, p Split) Split {
	i := l.Over()
	switch {
	case l.IsConst():
		return p.Scale(l.Const)
	case p.IsConst():
		return (&Split{Lin: l}).Scale(p.Lin.Const)
	case !math.IsInf(i.Lo, 0):
		return AddSplits([]Split{ConvexProduct(Split{Lin: l.AddScaled(-1, convex.Linear{Const: i.Lo})}, p), p}, 1, i.Lo)
	case !math.IsInf(i.Hi, 0):
		return AddSplits([]Split{ConvexProduct(Split{Lin: convex.Linear{Const: i.Hi}.AddScaled(-1, l)}, p), p}, -1,
			i.Hi)
	}
	return AddSplits([]Split{ConvexProduct(positivePart(l), p), ConvexProduct(positivePart(l.Scale(-1)), p)}, 1, -1)
}

// positivePart is max(l, 0).
func positivePart(l convex.Linear) Split {
	return ConvexSplit(MaxOfAffine([]convex.Linear{l, {}}))
}

// convexSquare is p² for a convex p ≥ 0.
func convexSquare(p Split) Split {
	if p.IsAffine() {
		return Squares(p.Lin.Number())
	}
	return ConvexSplit(NewCurveAtom(RowOf("square"), p.expr(), nil))
}

// SquareSplit is s² for any s.
func SquareSplit(s *Split) (Split, error) {
	if s.IsAffine() {
		return Squares(s.Lin.Number()), nil
	}
	if s.Nonnegative() {
		return convexSquare(*s), nil
	}
	if t := s.Scale(-1); t.Nonnegative() {
		return convexSquare(t), nil
	}
	x, err := NonnegativeParts(s)
	if err != nil {
		return Split{}, err
	}
	if s.IsConvex() || s.IsConcave() { // ±s = lo + t: t² + 2lo·t + lo²
		t := *s
		if s.IsConcave() {
			t = s.Scale(-1)
		}
		if lo := t.Over().Lo; !math.IsInf(lo, 0) {
			t.Lin = t.Lin.AddScaled(-1, convex.Linear{Const: lo})
			return AddSplits([]Split{convexSquare(t), t, {Lin: convex.Linear{Const: lo * lo}}}, 1, 2*lo, 1), nil
		}
	}
	// (p − q + l)² = (p − q)² + 2l(p − q) + l².
	out := []Split{
		convexSquare(x.P), convexSquare(x.Q), ConvexProduct(x.P, x.Q),
		AffineProduct(x.L, x.P), AffineProduct(x.L, x.Q), Squares(x.L.Number()),
	}
	return AddSplits(out, 1, 1, -2, 2, -2, 1), nil
}
