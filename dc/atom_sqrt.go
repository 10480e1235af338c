package dc

import "math"

// Sqrt is √a for a scalar a; it is concave and restricts a to a ≥ 0.
func Sqrt(a Affine) Expr {
	e := a.expr()
	switch {
	case e.err != nil:
		return e
	case e.IsConst() && e.lin.Const < 0:
		return badExpr("the square root of %g", e.lin.Const)
	case e.IsConst():
		return Expr{lin: Linear{Const: math.Sqrt(e.lin.Const)}}
	}
	return concave(&negSqrt{e.lin})
}

// negSqrt is −√l, convex on l ≥ 0.
type negSqrt struct{ l Linear }

// domainTol is how far a solver's point may lie outside a domain and still be
// evaluated at its border, relative to 1 + |constant term|. Problem.Violation
// counts the distance all the same.
const domainTol = 1e-4

func (f *negSqrt) Value(x []float64) float64 {
	v := f.l.Value(x)
	if v < -domainTol*(1+math.Abs(f.l.Const)) {
		return math.Inf(1)
	}
	return -math.Sqrt(max(v, 0))
}

// steepest is the argument below which the slope is kept from growing.
const steepest = 1e-20

func (f *negSqrt) AddSubgrad(dst []float64, scale float64, x []float64) {
	f.l.AddSubgrad(dst, -scale/(2*math.Sqrt(max(f.l.Value(x), steepest))), x)
}

func (f *negSqrt) Support() []int { return f.l.Idx }

// Represent: (l + ¼, l − ¼, t) in the second-order cone says t² ≤ l.
func (f *negSqrt) Represent(c Canon) Form {
	t := Linear{Idx: []int{c.Var()}, Val: []float64{1}}
	up, down := f.l, f.l
	up.Const += 0.25
	down.Const -= 0.25
	c.Cone(SecondOrder, []Linear{up, down, t})
	return Form{Linear: t}
}

func (f *negSqrt) Domain() []Linear { return []Linear{f.l} }

func (f *negSqrt) Inside(x []float64) bool { return f.l.Value(x) > steepest }

func (f *negSqrt) String() string { return "-sqrt" }
