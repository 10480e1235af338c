package dc

import "math"

// XExp is u·eᵘ on u ≥ 0. It is represented by w ≥ u² and u·exp(w/u) ≤ t.
//
//	arguments  u: a scalar
//	curvature  convex
//	sign       nonnegative
//	monotone   u: nondecreasing
//	domain     u ≥ 0
//	takes      affine or convex
//	refuses    others
//	form       second-order and exponential cones
//	source     Boyd and Vandenberghe 2004, section 3.1.5: its second derivative is positive
func XExp(u Operand) Expr { return apply(xExp{}, ToExpr(u)) }

type xExp struct{ positive }

func (xExp) direction() int { return 1 }
func (xExp) String() string { return "xexp" }

func (f xExp) over(i Interval) Interval { return increasing(f, i).Max(point(0)) }

func (xExp) value(u float64) float64 {
	v, ok := onDomain(u)
	if !ok {
		return math.Inf(1)
	}
	return v * math.Exp(v)
}

func (xExp) slope(u float64) float64 { v := max(u, 0); return (1 + v) * math.Exp(v) }

// solve is Lambert's function, by Newton's method on u·eᵘ = b from log(1 + b), which is
// at least as large as the solution; on that side it converges monotonically.
func (f xExp) solve(b float64) (float64, bool) {
	if !(b >= 0) {
		return 0, false
	}
	u := math.Log1p(b)
	for range 100 {
		step := (u - b*math.Exp(-u)) / (1 + u)
		if u -= step; math.Abs(step) <= unit*u {
			break
		}
	}
	return u, true
}

func (xExp) represent(c Canon, u Linear) Form {
	t, w := column(c), column(c)
	one := Linear{Const: 1}
	c.Cone(Cone{Kind: SecondOrderCone, Rows: []Linear{w.AddScaled(1, one), w.AddScaled(-1, one), u.Scale(2)}})
	c.Cone(Cone{Kind: ExponentialCone, Rows: []Linear{w, u, t}})
	return Form{Linear: t}
}

func (xExp) op() curveOp { return curveOp{name: "xexp"} }
