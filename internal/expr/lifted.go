package expr

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// lifted is f(g − h) + a·g + b·h for convex f, g and h, where the slopes of f lie
// in [−a, b] over the range of g − h. It is convex: f(u) is the supremum of
// s·u − f*(s) over those slopes s, and each (s + a)·g + (b − s)·h is convex.
// That such compositions are differences of convex functions is due to Hartman
// 1959.
type lifted struct {
	f       Curve
	g, h    convex.Representer
	a, b    float64
	indices []int
}

// liftedSplit is f(g − h) as lifted − a·g − b·h.
func liftedSplit(f Curve, s *Split, r interval.Interval) (Split, error) {
	r.Lo, r.Hi = max(r.Lo, f.least()), max(r.Hi, f.least())
	a, b := max(-f.slope(r.Lo), 0), max(f.slope(r.Hi), 0)
	if !f.inside(r.Lo) || !num.Finite(a) || !num.Finite(b) || a >= steepSlope || b >= steepSlope {
		what := "a convex"
		switch {
		case f.direction() < 0:
			what = "a concave"
		case f.direction() == 0:
			what = "an affine"
		}
		return Split{}, fmt.Errorf("dc: no DC split for %s of this: it needs %s argument, or one whose bounds keep "+
			"the slope finite (its range is %g to %g)", f, what, r.Lo, r.Hi)
	}
	convexPart, concavePart := s.convexPart(), s.concavePart()
	t := &lifted{f: f, g: convexPart.Function(), h: concavePart.Function(), a: a, b: b}
	t.indices = convex.Union(t.g.Support(), t.h.Support())
	return AddSplits([]Split{ConvexSplit(t), convexPart, concavePart}, 1, -a, -b), nil
}

// steepSlope is the slope from which on a split by lifted is of no use: the
// solvers of the convex problems work to eight digits or so.
// Source: derived, see above: 1 over the accuracy of the solvers.
const steepSlope = 1e8

func (t *lifted) Value(x []float64) float64 {
	g, h := t.g.Value(x), t.h.Value(x)
	return t.f.value(g-h) + t.a*g + t.b*h
}

func (t *lifted) Approx(x []float64) convex.Approx {
	g, h := convex.Approximate(t.g, x), convex.Approximate(t.h, x)
	var u, s convex.Total
	u.Add(g)
	u.AddScaled(-1, h)
	s.Add(t.f.Approx(u.Approx))
	s.AddScaled(t.a, g)
	s.AddScaled(t.b, h)
	return s.Approx
}

func (t *lifted) AddSubgrad(dst []float64, scale float64, x []float64) {
	s := min(max(t.f.slope(t.g.Value(x)-t.h.Value(x)), -t.a), t.b)
	t.g.AddSubgrad(dst, scale*(s+t.a), x)
	t.h.AddSubgrad(dst, scale*(t.b-s), x)
}

func (t *lifted) Support() []int { return t.indices }

// Represent: the least f(v − w) + a·v + b·w over v ≥ g, w ≥ h: a larger v raises
// a·v by as much as f can fall, and so does w. An affine g is v itself, so that v − w is within the
// domain of f only where g − h is.
func (t *lifted) Represent(c convex.Canon) convex.Form {
	v, affine := t.g.(convex.Linear)
	if !affine {
		v = convex.Column(c)
		c.Row(c.Bound(t.g).AddScaled(-1, v), math.Inf(-1), 0)
	}
	w := convex.Column(c)
	c.Row(c.Bound(t.h).AddScaled(-1, w), math.Inf(-1), 0)
	out := t.f.Represent(c, v.AddScaled(-1, w))
	return out.AddScaled(1, convex.Form{Linear: v.Scale(t.a).AddScaled(t.b, w)})
}

// Domain also has the least argument of f where g is affine: h − g + least ≤ 0 is convex. For other
// g the range of g − h has nothing below, see curveSplit.
func (t *lifted) Domain() []convex.Representer {
	out := (&Scalar{Terms: []Term{{1, t.g}, {1, t.h}}}).Domain()
	if g, affine := t.g.(convex.Linear); affine && !math.IsInf(t.f.least(), -1) {
		out = append(out, newSum(convex.Linear{Const: t.f.least()}.AddScaled(-1, g), []Term{{1, t.h}}))
	}
	return out
}

// Inside also asks for an argument of f with a slope.
func (t *lifted) Inside(x []float64) bool {
	return (&Scalar{Terms: []Term{{1, t.g}, {1, t.h}}}).Inside(x) && t.f.inside(t.g.Value(x)-t.h.Value(x))
}

func (t *lifted) Over() interval.Interval {
	g, h := convex.RangeOf(t.g), convex.RangeOf(t.h)
	return t.f.Over(g.Add(h.Neg())).Add(g.Scale(t.a)).Add(h.Scale(t.b))
}

func (t *lifted) Node() Node {
	return Node{Name: "lifted", Curve: t.f, Nums: []float64{t.a, t.b}, Inputs: ExprArgs(Of(t.g), Of(t.h))}
}

func (t *lifted) Parts() []convex.Func { return []convex.Func{t.g, t.h} }
func (t *lifted) String() string       { return t.f.String() }

func (t *lifted) represented() bool { return t.f.Represented() }
