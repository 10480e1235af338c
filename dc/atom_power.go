package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
)

// Sqrt is √u. It restricts u to u ≥ 0.
//
//	arguments  u: a scalar
//	curvature  concave
//	sign       nonnegative
//	monotone   u: nondecreasing
//	domain     u ≥ 0
//	takes      affine or concave; sums of squares; others whose bounds keep the slope finite
//	refuses    arrays; others; constants < 0
//	form       second-order cone
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2.3
func Sqrt(u Operand) Expr { return Power(u, 0.5) }

// InvPos is 1/u. It restricts u to u > 0.
//
//	arguments  u: a scalar
//	curvature  convex
//	sign       nonnegative
//	monotone   u: nonincreasing
//	domain     u > 0
//	takes      affine or concave; others whose bounds keep the slope finite
//	refuses    arrays; others; constants ≤ 0
//	form       second-order cone
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2.3
func InvPos(u Operand) Expr { return Power(u, -1) }

// Power is oᵖ. It restricts o to o ≥ 0 unless p is a positive integer. For an odd
// p > 1 and affine o it is a difference: o₊ᵖ − (−o)₊ᵖ; other integer powers are
// products of squares. A power p > 0 of w·v^q with w > 0 and q < 0 is w^p·v^(p·q).
//
//	arguments  o: a scalar; p: a number
//	curvature  convex for even p, for p < 0 and for p > 1 that are no integers; concave for 0 < p < 1; DC for odd p > 1
//	sign       nonnegative; any for odd p > 0
//	monotone   o: nondecreasing for p > 0, nonincreasing for p < 0, by sign for even p > 0
//	domain     o ≥ 0; o > 0 for p < 0; all for positive integers
//	takes      as the curvature and direction allow; others whose bounds keep the slope finite
//	refuses    arrays; a p that is NaN or infinite; others
//	form       power cone, with rows for p > 1; second-order cone for p = 1/2 and p = −1; quadratic for even p
//	source     Chares 2009, section 4
func Power(o Operand, p float64) Expr {
	u := ToExpr(o)
	// an exponent that is rounded would be another function
	if v, q, ok := u.asPower(); ok && p > 0 && !math.IsInf(p, 1) && math.FMA(p, q, -p*q) == 0 {
		return Power(v, p*q).Scale(math.Pow(u.terms[0].w, p))
	}
	integer := p == math.Trunc(p)
	switch {
	case u.err != nil:
		return u
	case math.IsNaN(p) || math.IsInf(p, 0):
		return badExpr("power %g", p)
	case p == 0:
		return constantExpr(1)
	case p == 1:
		return u
	case p == 2:
		return Square(u)
	case p == 4 && u.IsAffine():
		return Square(Square(u))
	case p < 0:
		return apply(powerCurve("power", p), u)
	case p < 1:
		return rootOf(u, p)
	}
	s := u.split()
	neg := s.scale(-1)
	switch {
	case s.nonnegative():
		return apply(powerCurve("pos_power", p), u)
	case integer && neg.nonnegative():
		return Power(u.Neg(), p).Scale(math.Pow(-1, p))
	case !integer:
		return apply(powerCurve("power", p), u)
	case u.IsAffine() && math.Mod(p, 2) == 0:
		return apply(powerCurve("pos_power", p), Abs(u))
	case u.IsAffine():
		return apply(powerCurve("pos_power", p), u).Sub(apply(powerCurve("pos_power", p), u.Neg()))
	case math.Mod(p, 2) == 0:
		return Square(Power(u, p/2))
	}
	return Mul(u, Square(Power(u, (p-1)/2)))
}

// rootOf is uᵖ, 0 < p < 1. The square root of a sum of squares is a norm, that of a product of
// affine functions without a negative value their geometric mean.
func rootOf(u Expr, p float64) Expr {
	if len(u.terms) == 1 && u.lin.isZero() && u.terms[0].w > 0 && p == 0.5 {
		positive := func(e Expr) bool { return e.IsAffine() && e.Range().Lo >= 0 }
		if a, b, ok := twoFactors(u.terms[0].f); ok && positive(a) && positive(b) {
			return GeoMeanOf([]Expr{a, b}).Scale(math.Sqrt(u.terms[0].w))
		}
	}
	if s := u.split(); p == 0.5 && s.isConvex() && s.lin.IsConst() && s.lin.Const >= 0 {
		if a, ok := squaredEntries(s); ok {
			return Norm2(a)
		}
	}
	return apply(powerCurve("power", p).neg(), u).Neg()
}

// asPower is v and p where e is written as w·vᵖ, w > 0, p < 0, v restricted to v > 0.
func (e Expr) asPower() (v Expr, p float64, ok bool) {
	if len(e.terms) != 1 || !(e.terms[0].w > 0) || !e.lin.isZero() {
		return Expr{}, 0, false
	}
	var by curve
	switch f := e.terms[0].f.(type) {
	case *along:
		by, v = f.f, Expr{terms: []term{{f.sign, f.arg}}, of: e.of}
		if l, isAffine := f.arg.(Linear); isAffine {
			v = Expr{lin: l.Scale(f.sign)}
		}
	case *composition:
		by, v = f.f, f.e
	}
	return v, by.p, by.is("power") && by.p < 0
}

// squaredEntries are affine functions whose squares sum to a convex split.
func squaredEntries(s *split) (Affine, bool) {
	rows := []Linear{{Const: math.Sqrt(s.lin.Const)}}
	for _, t := range s.g {
		a, ok := roots(t.f)
		if !ok {
			return Affine{}, false
		}
		for k := range a.c {
			rows = append(rows, a.Entry(k).Scale(math.Sqrt(t.w)))
		}
	}
	if rows[0].isZero() {
		rows = rows[1:]
	}
	return Entries(rows...), true
}

// roots are affine functions whose squares sum to f.
func roots(f Convex) (Affine, bool) {
	switch f := f.(type) {
	case *sumSquares:
		return f.a, true
	case *quad:
		return f.factor()
	}
	return Affine{}, false
}

// QuadOverLin is ‖a‖²/y.
//
//	arguments  a: an array of any shape; y: a scalar
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign; y: nonincreasing
//	domain     y > 0
//	takes      affine
//	refuses    a y that is no scalar; a constant y ≤ 0 under constants
//	form       second-order cone
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2.3
func QuadOverLin(a, y Affine) Expr {
	both := Stack(y, a)
	if err := both.Err(); err != nil {
		return Expr{err: err}
	}
	if y.Len() != 1 {
		return badExpr("quadoverlin with a denominator of shape %v, want a scalar", y.shape)
	}
	f := &quadOverLin{both, both.support()}
	if both.IsConst() {
		v := f.Value(nil)
		if math.IsInf(v, 1) {
			return badExpr("quadoverlin with the denominator %g", both.c[0])
		}
		return constantExpr(v)
	}
	return convex(f, both.of)
}

// QuadOverLinOf is QuadOverLin of a slice of scalars and a scalar y.
//
//	as         QuadOverLin
//	takes      us affine, or convex and nonnegative; y affine or concave
//	refuses    others
func QuadOverLinOf[T Operand](us []T, y Operand) Expr {
	ops := []Operand{y}
	for _, u := range us {
		ops = append(ops, u)
	}
	make := func(a Affine) Expr { return QuadOverLin(a.Range(1, a.Len()), a.At(0)) }
	return atomOf("quadoverlin", make, ops, func(k int) entryRule {
		if k == 0 {
			return concaveEntry
		}
		return positiveEntry
	})
}

type quadOverLin struct {
	a       Affine // (y, a)
	indices []int
}

func (f *quadOverLin) squares(x []float64) float64 {
	s := 0.0
	for k := 1; k < f.a.Len(); k++ {
		v := f.a.at(k, x)
		s += v * v
	}
	return s
}

func (f *quadOverLin) Value(x []float64) float64 {
	if y := f.a.at(0, x); y > 0 {
		return f.squares(x) / y
	}
	return math.Inf(1)
}

func (f *quadOverLin) AddSubgrad(dst []float64, scale float64, x []float64) {
	y := max(f.a.at(0, x), steepest)
	f.a.addRow(dst, -scale*f.squares(x)/(y*y), 0)
	for k := 1; k < f.a.Len(); k++ {
		f.a.addRow(dst, 2*scale*f.a.at(k, x)/y, k)
	}
}

func (f *quadOverLin) Smooth() bool { return true }

func (f *quadOverLin) Support() []int { return f.indices }

// Represent: ‖(t − y, 2a)‖ ≤ t + y.
func (f *quadOverLin) Represent(c Canon) Form {
	t, y := column(c), f.a.Entry(0)
	rows := []Linear{t.AddScaled(1, y), t.AddScaled(-1, y)}
	for k := 1; k < f.a.Len(); k++ {
		rows = append(rows, f.a.Entry(k).Scale(2))
	}
	c.Cone(Cone{Kind: SecondOrderCone, Rows: rows})
	return Form{Linear: t}
}

func (f *quadOverLin) Domain() []Representer   { return []Representer{f.a.Entry(0).Scale(-1)} }
func (f *quadOverLin) Inside(x []float64) bool { return f.a.at(0, x) > steepest }
func (f *quadOverLin) String() string          { return "quadoverlin" }

func (f *quadOverLin) over() Interval {
	i := point(0)
	for k := 1; k < f.a.Len(); k++ {
		i = i.Add(f.a.over(k).Square())
	}
	return i.Mul(powerCurve("power", -1).over(f.a.over(0)))
}

// bends: aₖ²·(1/y), where y > 0 by its bounds.
func (f *quadOverLin) bends() (bends, bool) {
	by := powerCurve("power", -1).of(affineBends(f.a.Entry(0)))
	return bendsOfSum(f.a.Len()-1, func(k int) bends {
		return rowOf("square").of(affineBends(f.a.Entry(k + 1))).times(by)
	}), true
}

func (f *quadOverLin) node() Node {
	return Node{op: "quadoverlin", args: affineArgs(&f.a), first: afterOthers}
}

// approx is the quotient of a sum of squares and a number with an error.
func (f *quadOverLin) approx(x []float64) approx {
	var s total
	for k := 1; k < f.a.Len(); k++ {
		s.add(f.a.approx(k, x).square())
	}
	y := f.a.approx(0, x)
	v := s.v / y.v
	return approx{f.Value(x), (s.e+v*y.e)/(y.v-y.e) + unit*math.Abs(v)}
}

// GeoMean is the geometric mean of the entries of a. It restricts them to aₖ ≥ 0.
//
//	arguments  a: an array of any shape
//	curvature  concave
//	sign       nonnegative
//	monotone   a: nondecreasing
//	domain     aₖ ≥ 0
//	takes      affine
//	refuses    an array without entries; negative constants
//	form       second-order cones for 2, 4, 8, ... entries, else power cones
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2.3; Chares 2009, section 4
func GeoMean(a Affine) Expr {
	if err := a.Err(); err != nil {
		return Expr{err: err}
	}
	f := &negGeoMean{a, a.support()}
	switch {
	case a.Len() == 0:
		return badExpr("geomean of nothing")
	case a.Len() == 1:
		return a.expr()
	case a.IsConst():
		v := f.Value(nil)
		if math.IsInf(v, 1) {
			return badExpr("geomean of negative numbers")
		}
		return constantExpr(-v)
	}
	return concave(f, a.of)
}

// GeoMeanOf is GeoMean of a slice of scalars.
//
//	as         GeoMean
//	takes      affine or concave
//	refuses    others; no scalars
func GeoMeanOf[T Operand](us []T) Expr {
	make := func(a Affine) Expr { return GeoMean(a).Neg() }
	return atomOf("geomean", make, us, everyEntry(concaveEntry)).Neg()
}

type negGeoMean struct {
	a       Affine
	indices []int
}

func (f *negGeoMean) Value(x []float64) float64 { return f.meanFrom(x, 0) }

// meanFrom is the value where no entry is below least; those outside the domain have none.
func (f *negGeoMean) meanFrom(x []float64, least float64) float64 {
	sum := 0.0
	for k := range f.a.c {
		v, ok := onDomain(f.a.at(k, x))
		if !ok {
			return math.Inf(1)
		}
		sum += math.Log(max(v, least))
	}
	return -math.Exp(sum / float64(f.a.Len()))
}

func (f *negGeoMean) AddSubgrad(dst []float64, scale float64, x []float64) {
	mean, n := -f.meanFrom(x, steepest), float64(f.a.Len())
	for k := range f.a.c {
		f.a.addRow(dst, -scale*mean/(n*max(f.a.at(k, x), steepest)), k)
	}
}

func (f *negGeoMean) Smooth() bool { return true }

func (f *negGeoMean) Support() []int { return f.indices }

// Represent: powers (a₁⋯aₖ)^(1/k) ≥ gₖ one after the other, t ≥ −gₙ. Where the
// number of entries is a power of two, pairs by second-order cones.
func (f *negGeoMean) Represent(c Canon) Form {
	if n := f.a.Len(); n&(n-1) == 0 {
		return Form{Linear: f.pairs(c, 0, n).Scale(-1)}
	}
	g := f.a.Entry(0)
	for k := 1; k < f.a.Len(); k++ {
		next := column(c)
		c.Cone(Cone{Kind: PowerCone, Alpha: 1 / float64(k+1), Rows: []Linear{f.a.Entry(k), g, next}})
		g = next
	}
	return Form{Linear: g.Scale(-1)}
}

// pairs is at most the geometric mean of n entries from entry k: t² ≤ uv, as
// ‖(u − v, 2t)‖ ≤ u + v, for the means u, v of either half.
func (f *negGeoMean) pairs(c Canon, k, n int) Linear {
	if n == 1 {
		return f.a.Entry(k)
	}
	u, v, t := f.pairs(c, k, n/2), f.pairs(c, k+n/2, n/2), column(c)
	c.Cone(Cone{Kind: SecondOrderCone, Rows: []Linear{u.AddScaled(1, v), u.AddScaled(-1, v), t.Scale(2)}})
	return t
}

func (f *negGeoMean) Domain() []Representer {
	out := make([]Representer, f.a.Len())
	for k := range out {
		out[k] = f.a.Entry(k).Scale(-1)
	}
	return out
}

func (f *negGeoMean) Inside(x []float64) bool {
	for k := range f.a.c {
		if !(f.a.at(k, x) > steepest) {
			return false
		}
	}
	return true
}

// approx: the relative errors of the entries count with their mean, and each
// logarithm with its rounding.
func (f *negGeoMean) approx(x []float64) approx {
	v, relative, logs := f.Value(x), 0.0, 0.0
	n := float64(f.a.Len())
	for k := range f.a.c {
		a := f.a.approx(k, x)
		if a.v > a.e {
			relative += a.e / (a.v - a.e)
			logs += math.Abs(math.Log(a.v))
			continue
		}
		return approx{v, f.far(x)}
	}
	return approx{v, math.Abs(v) * (relative + unit*(3*logs+4*n)) / n}
}

// far is the mean of the entries' upper ends: a bound where an entry may be 0.
func (f *negGeoMean) far(x []float64) float64 {
	s := 0.0
	for k := range f.a.c {
		a := f.a.approx(k, x)
		s += math.Log(max(a.hi(), 0))
	}
	return math.Exp(s / float64(f.a.Len()))
}

func (f *negGeoMean) String() string { return "-geomean" }

func (f *negGeoMean) node() Node {
	return Node{op: "geomean", negative: true, args: affineArgs(&f.a)}
}

func (f *negGeoMean) over() Interval {
	lo, hi := math.Inf(1), math.Inf(-1)
	for k := range f.a.c {
		i := f.a.over(k)
		lo, hi = min(lo, max(i.Lo, 0)), max(hi, i.Hi)
	}
	return interval.New(-hi, -lo)
}

func powerAtoms() []atom {
	return []atom{
		{op: "power", args: 1, data: 1, scalar: true, make: func(args []Array, data []float64) Expr {
			return Power(args[0].Entry(0), data[0])
		}},
		{op: "pos_power", args: 1, data: 1, scalar: true, make: func(args []Array, data []float64) Expr {
			if !(data[0] > 1) || math.IsInf(data[0], 1) {
				return badExpr("pos_power %g, want an exponent > 1", data[0])
			}
			return apply(powerCurve("pos_power", data[0]), args[0].Entry(0))
		}},
		{op: "sqrt", args: 1, scalar: true, make: ofScalar(Sqrt)},
		{op: "invpos", args: 1, scalar: true, make: ofScalar(InvPos)},
		{op: "quadoverlin", args: 2, make: func(args []Array, _ []float64) Expr {
			x, y := &args[0], &args[1]
			if y.Len() != 1 {
				return badExpr("quadoverlin with a denominator of shape %v, want a scalar", y.Shape())
			}
			return QuadOverLinOf(x.entries(), y.Entry(0))
		}},
		{op: "geomean", args: 1, make: ofArray(GeoMean, GeoMeanOf[Expr])},
	}
}
