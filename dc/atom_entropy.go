package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
)

// Entropy is −u·log u, 0 at u = 0. It restricts u to u ≥ 0.
func Entropy(u Operand) Expr { return applyTo("entr", u) }

// openEntropy is Entropy without a value at 0, as a logarithm that is written has none.
func openEntropy(u Expr) Expr { return apply(powerCurve("entr", 1).neg(), u).Neg() }

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
func KL(u, v Affine) Expr { return divergence(u, v, false) }

// divergence is KL; open: without a value at u = 0, as a logarithm that is written has none.
func divergence(u, v Affine, open bool) Expr {
	a := Stack(u, v)
	if err := a.Err(); err != nil {
		return Expr{err: err}
	}
	if u.Len() != 1 || v.Len() != 1 {
		return badExpr("kl of shapes %v and %v, want scalars", u.shape, v.shape)
	}
	f := &kl{a, a.support(), open}
	if a.IsConst() {
		w := f.Value(nil)
		if math.IsInf(w, 1) {
			return badExpr("kl at %g and %g, outside its domain", a.c[0], a.c[1])
		}
		return constantExpr(w)
	}
	return convex(f, a.of)
}

// logArgument is the affine u of f = −log u.
func logArgument(f Convex) (Linear, bool) {
	a, ok := f.(*along)
	if !ok {
		return Linear{}, false
	}
	l, isAffine := a.arg.(Linear)
	return l.Scale(a.sign), a.f.neg().is("log") && isAffine
}

type kl struct {
	a       Affine // (u, v)
	indices []int
	open    bool // see divergence
}

func (f *kl) Value(x []float64) float64 {
	u, ok := onDomain(f.a.at(0, x))
	v := f.a.at(1, x)
	switch {
	case !ok || v < -domainTol || u > 0 && v <= 0, f.open && u == 0:
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

func (f *kl) over() Interval { return interval.New(0, math.Inf(1)) }
func (f *kl) node() Node     { return Node{op: "kl", args: affineArgs(&f.a), first: beforeOthers} }
func (f *kl) String() string { return "kl" }
