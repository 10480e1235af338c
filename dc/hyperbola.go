package dc

import "math"

// hyperbola is the split of a function that is ≤ 0 exactly where c ≤ w·u·v, for
// a number c > 0 and affine u and v, one of them ≥ 0 by its bounds: then both are,
// and √(c/w) ≤ √(uv) says the same with a concave geometric mean. The constraint
// is convex then, whatever the sizes of u and v (Boyd and Vandenberghe 2004,
// section 4.4). ok is false for other expressions.
func hyperbola(e Expr) (s split, ok bool) {
	if len(e.terms) != 1 || !e.lin.IsConst() || !(e.lin.Const > 0) || !(e.terms[0].w < 0) {
		return split{}, false
	}
	f, ok := e.terms[0].f.(*inner)
	if !ok || f.u.Len() != 1 {
		return split{}, false
	}
	u, v := f.u, f.v
	switch {
	case u.over(0).Lo >= 0 || v.over(0).Lo >= 0:
	case u.over(0).Hi <= 0 || v.over(0).Hi <= 0:
		u, v = u.Neg(), v.Neg()
	default:
		return split{}, false
	}
	root := math.Sqrt(e.lin.Const / -e.terms[0].w)
	α := 1.0 // αu and v/α are of the size of the root, or at least of one size
	switch a, b := e.of.size(u.Entry(0)), e.of.size(v.Entry(0)); {
	case a > 0 && b > 0:
		α = math.Sqrt(b / a)
	case a > 0:
		α = root / a
	case b > 0:
		α = b / root
	}
	α = math.Exp2(math.Round(math.Log2(α)))
	mean := GeoMean(Stack(u.Scale(α), v.Scale(1/α))).split()
	out := mean.scale(-1)
	out.lin = out.lin.AddScaled(1, Linear{Const: root})
	return out, true
}
