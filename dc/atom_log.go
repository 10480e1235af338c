package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
)

// Log is the natural logarithm. It restricts u to u ≥ 0.
//
//	arguments  u: a scalar
//	curvature  concave
//	sign       any
//	monotone   u: nondecreasing
//	domain     u > 0
//	takes      affine or concave; products and quotients by their factors; others whose bounds keep the slope finite
//	refuses    arrays; others; constants ≤ 0
//	form       exponential cone
//	source     Chares 2009
func Log(u Operand) Expr {
	e := ToExpr(u)
	if a, ok := e.exponents(); ok { // log(Σ exp(aₖ))
		return LogSumExp(a)
	}
	if e.err == nil && !e.IsConcave() {
		for _, rule := range []func(Expr) (Expr, bool){logOfPower, logOfProduct, logOfQuotients} {
			if l, ok := rule(e); ok && l.err == nil {
				return l
			}
		}
	}
	return apply(negLog{}, e).Neg()
}

// logOfPower is log w + p·log v of e = w·vᵖ with v restricted to v > 0.
func logOfPower(e Expr) (Expr, bool) {
	v, p, ok := e.asPower()
	if !ok {
		return Expr{}, false
	}
	return Log(v).Scale(p).Add(Linear{Const: math.Log(e.terms[0].w)}), true
}

// logOfProduct is log |w| + log |u| + log |v| of e = w·u·v where u or v has a known sign, so
// that the other one has a sign where e > 0.
func logOfProduct(e Expr) (Expr, bool) {
	if len(e.terms) != 1 || !e.lin.isZero() {
		return Expr{}, false
	}
	w := e.terms[0].w
	u, v, ok := twoFactors(e.terms[0].f)
	if !ok {
		return Expr{}, false
	}
	if i := u.Range(); !(i.Lo >= 0 || i.Hi <= 0) {
		u, v = v, u
	}
	switch i := u.Range(); {
	case i.Lo >= 0:
	case i.Hi <= 0:
		u, w = u.Neg(), -w
	default:
		return Expr{}, false
	}
	if w < 0 {
		v = v.Neg()
	}
	return sumExprs([]Expr{Log(u), Log(v), constantExpr(math.Log(math.Abs(w)))}), true
}

// twoFactors are u and v of f = u·v.
func twoFactors(f Convex) (u, v Expr, ok bool) {
	switch f := f.(type) {
	case *product:
		return f.a, f.b, true
	case *squared:
		return f.e, f.e, true
	}
	if a, _ := affineFactors(f, 1); len(a) == 2 {
		return a[0].expr(), a[1].expr(), true
	}
	return Expr{}, Expr{}, false
}

// logOfQuotients is log(l·v + Σ wₖ·uₖ) − log v of e = l + Σ wₖ·uₖ/v with v restricted to v > 0.
func logOfQuotients(e Expr) (Expr, bool) {
	var v Expr
	parts := make([]Expr, 0, len(e.terms)+1)
	for k, t := range e.terms {
		u, d, ok := overDenominator(t.f)
		if !ok || k > 0 && !d.same(&v) {
			return Expr{}, false
		}
		v, parts = d, append(parts, u.Scale(t.w))
	}
	return Log(sumExprs(append(parts, Mul(e.lin, v)))).Sub(Log(v)), true
}

// overDenominator are u and v of f = u/v with v restricted to v > 0.
func overDenominator(f Convex) (u, v Expr, ok bool) {
	if v, p, ok := (Expr{terms: []term{{1, f}}}).asPower(); ok && p == -1 {
		return constantExpr(1), v, true
	}
	a, b, ok := twoFactors(f)
	if !ok {
		return Expr{}, Expr{}, false
	}
	for range 2 {
		if v, p, ok := b.asPower(); ok && p == -1 {
			return a.Scale(b.terms[0].w), v, true
		}
		a, b = b, a
	}
	return Expr{}, Expr{}, false
}

// exponents are the affine functions of which e is written as the sum of exponentials.
func (e Expr) exponents() (Affine, bool) {
	if e.err != nil || e.composite || !e.lin.IsConst() || e.lin.Const < 0 || len(e.terms) == 0 {
		return Affine{}, false
	}
	var rows []Linear
	if e.lin.Const > 0 {
		rows = append(rows, Linear{Const: math.Log(e.lin.Const)})
	}
	for _, t := range e.terms {
		a, ok := t.f.(*along)
		if !ok || !(t.w > 0) {
			return Affine{}, false
		}
		l, affine := a.arg.(Linear)
		if _, exp := a.f.(exponential); !exp || !affine {
			return Affine{}, false
		}
		rows = append(rows, l.Scale(a.sign).AddScaled(1, Linear{Const: math.Log(t.w)}))
	}
	return Entries(rows...), true
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
	f, ok := by.(negative)
	return v, f.p, ok
}

type negLog struct{ positive }

func (negLog) direction() int { return -1 }
func (negLog) String() string { return "-log" }

func (f negLog) over(i Interval) Interval { return decreasing(f, i) }

func (negLog) value(u float64) float64 {
	if !(u > 0) {
		return math.Inf(1)
	}
	return -math.Log(u)
}

func (negLog) slope(u float64) float64 { return -1 / max(u, steepest) }

func (negLog) solve(b float64) (float64, bool) { return math.Exp(-b), true }

// represent: u ≥ exp(−t).
func (negLog) represent(c Canon, u Linear) Form {
	t := column(c)
	c.Cone(Cone{Kind: ExponentialCone, Rows: []Linear{t.Scale(-1), {Const: 1}, u}})
	return Form{Linear: t}
}

// Entropy is −u·log u, 0 at u = 0. It restricts u to u ≥ 0.
//
//	arguments  u: a scalar
//	curvature  concave
//	sign       any
//	monotone   u: none
//	domain     u ≥ 0
//	takes      affine; others whose bounds keep the slope finite
//	refuses    arrays; others; constants < 0
//	form       exponential cone
//	source     Chares 2009
func Entropy(u Operand) Expr { return apply(negEntropy{}, ToExpr(u)).Neg() }

type negEntropy struct{ positive }

func (negEntropy) direction() int { return 0 }
func (negEntropy) String() string { return "-entr" }

// over: the least value is −1/e at 1/e.
func (f negEntropy) over(i Interval) Interval {
	ends := point(i.Lo).image(f.value, true, curveRoundings).Max(point(i.Hi).image(f.value, true, curveRoundings))
	ends.Lo = num.Down(-1 / math.E)
	switch {
	case i.Lo >= 1/math.E:
		return increasing(f, i)
	case i.Hi <= 1/math.E:
		return decreasing(f, i)
	}
	return ends
}

func (negEntropy) value(u float64) float64 {
	v, ok := onDomain(u)
	switch {
	case !ok:
		return math.Inf(1)
	case v == 0:
		return 0
	}
	return v * math.Log(v)
}

func (negEntropy) slope(u float64) float64 { return 1 + math.Log(max(u, steepest)) }

func (negEntropy) solve(float64) (float64, bool) { return 0, false }

// represent: u·exp(−t/u) ≤ 1.
func (negEntropy) represent(c Canon, u Linear) Form {
	t := column(c)
	c.Cone(Cone{Kind: ExponentialCone, Rows: []Linear{t.Scale(-1), u, {Const: 1}}})
	return Form{Linear: t}
}

// KL is the divergence u·log(u/v) − u + v. It restricts u and v to u, v ≥ 0.
//
//	arguments  u, v: scalars
//	curvature  convex
//	sign       nonnegative
//	monotone   u: none; v: none
//	domain     u ≥ 0, v > 0
//	takes      affine
//	refuses    arrays; constants outside the domain
//	form       exponential cone
//	source     Chares 2009
func KL(u, v Affine) Expr {
	a := Stack(u, v)
	if err := a.Err(); err != nil {
		return Expr{err: err}
	}
	if u.Len() != 1 || v.Len() != 1 {
		return badExpr("kl of shapes %v and %v, want scalars", u.shape, v.shape)
	}
	f := &kl{a, a.support()}
	if a.IsConst() {
		w := f.Value(nil)
		if math.IsInf(w, 1) {
			return badExpr("kl at %g and %g, outside its domain", a.c[0], a.c[1])
		}
		return constantExpr(w)
	}
	return convex(f, a.of)
}

type kl struct {
	a       Affine // (u, v)
	indices []int
}

func (f *kl) Value(x []float64) float64 {
	u, ok := onDomain(f.a.at(0, x))
	v := f.a.at(1, x)
	switch {
	case !ok || v < -domainTol || u > 0 && v <= 0:
		return math.Inf(1)
	case u == 0:
		return max(v, 0)
	}
	return u*math.Log(u/v) - u + v
}

func (f *kl) AddSubgrad(dst []float64, scale float64, x []float64) {
	u, v := max(f.a.at(0, x), steepest), max(f.a.at(1, x), steepest)
	f.a.addRow(dst, scale*math.Log(u/v), 0)
	f.a.addRow(dst, scale*(1-u/v), 1)
}

func (f *kl) Smooth() bool { return true }

func (f *kl) Support() []int { return f.indices }

// Represent: s ≥ u·log(u/v) by u·exp(−s/u) ≤ v.
func (f *kl) Represent(c Canon) Form {
	s, u, v := column(c), f.a.Entry(0), f.a.Entry(1)
	c.Cone(Cone{Kind: ExponentialCone, Rows: []Linear{s.Scale(-1), u, v}})
	return Form{Linear: s.AddScaled(-1, u).AddScaled(1, v)}
}

func (f *kl) Domain() []Representer {
	return []Representer{f.a.Entry(0).Scale(-1), f.a.Entry(1).Scale(-1)}
}

func (f *kl) Inside(x []float64) bool { return f.a.at(0, x) > steepest && f.a.at(1, x) > steepest }

// approx: by the partial derivatives log(u/v) and 1 − u/v at both ends of the
// errors, and the roundings of the three terms.
func (f *kl) approx(x []float64) approx {
	value, a, b := f.Value(x), f.a.approx(0, x), f.a.approx(1, x)
	u, v := max(a.v, 0), max(b.v-b.e, steepest)
	log := 0.0
	if u > 0 {
		log = max(math.Abs(math.Log(u/v)), math.Abs(math.Log(u/(b.v+b.e))))
	}
	slope := max(math.Abs(1-(u+a.e)/v), math.Abs(1-max(u-a.e, 0)/(b.v+b.e)))
	e := (log+a.e/max(u-a.e, steepest))*a.e + slope*b.e
	if u == 0 && a.e == 0 {
		e = b.e
	}
	return approx{value, e + 4*unit*(u*(log+1)+math.Abs(b.v))}
}

func (f *kl) over() Interval { return Interval{0, math.Inf(1)} }
func (f *kl) node() Node     { return Node{op: "kl", args: affineArgs(&f.a), first: beforeOthers} }
func (f *kl) String() string { return "kl" }

func (negLog) op() curveOp     { return curveOp{name: "log", negative: true} }
func (negEntropy) op() curveOp { return curveOp{name: "entr", negative: true} }

func logAtoms() []atom {
	return []atom{
		{op: "log", args: 1, scalar: true, make: ofScalar(Log)},
		{op: "entr", args: 1, scalar: true, make: ofScalar(Entropy)},
		{op: "kl", args: 2, scalar: true, affine: true, make: func(args []Array, _ []float64) Expr {
			return KL(affineOf(&args[0]), affineOf(&args[1]))
		}},
	}
}
