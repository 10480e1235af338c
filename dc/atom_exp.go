package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Log is the natural logarithm. It restricts u to u ≥ 0.
func Log(u Expr) Expr { return u.each(logOf) }

func logOf(e scalar) scalar {
	if a, ok := e.exponents(); ok { // log(Σ exp(aₖ))
		return reduce(atom.LogSumExp, nil, a)
	}
	if e.err == nil && !e.IsConcave() {
		for _, rule := range []func(scalar) (scalar, bool){logOfPower, logOfProduct, logOfQuotients} {
			if l, ok := rule(e); ok && l.err == nil {
				return l
			}
		}
	}
	return applyTo("log", e)
}

// logOfPower is log w + p·log v of e = w·vᵖ with v restricted to v > 0.
func logOfPower(e scalar) (scalar, bool) {
	v, p, ok := e.asPower()
	if !ok {
		return scalar{}, false
	}
	return logOf(v).Scale(p).shift(math.Log(e.terms[0].w)), true
}

// logOfProduct is log |w| + log |u| + log |v| of e = w·u·v where u or v has a known sign, so
// that the other one has a sign where e > 0.
func logOfProduct(e scalar) (scalar, bool) {
	if len(e.terms) != 1 || !e.lin.IsZero() {
		return scalar{}, false
	}
	w := e.terms[0].w
	u, v, ok := twoFactors(e.terms[0].f)
	if !ok {
		return scalar{}, false
	}
	if i := u.Range(); !(i.Lo >= 0 || i.Hi <= 0) {
		u, v = v, u
	}
	switch i := u.Range(); {
	case i.Lo >= 0:
	case i.Hi <= 0:
		u, w = u.Neg(), -w
	default:
		return scalar{}, false
	}
	if w < 0 {
		v = v.Neg()
	}
	return sumExprs([]scalar{logOf(u), logOf(v), constantExpr(math.Log(math.Abs(w)))}), true
}

// logOfQuotients is log(l·v + Σ wₖ·uₖ) − log v of e = l + Σ wₖ·uₖ/v with v restricted to v > 0.
func logOfQuotients(e scalar) (scalar, bool) {
	var v scalar
	parts := make([]scalar, 0, len(e.terms)+1)
	for k, t := range e.terms {
		u, d, ok := overDenominator(t.f)
		if !ok || k > 0 && !d.same(&v) {
			return scalar{}, false
		}
		v, parts = d, append(parts, u.Scale(t.w))
	}
	return logOf(sumExprs(append(parts, timesOf(linearExpr(e.lin), v)))).Sub(logOf(v)), true
}

// overDenominator are u and v of f = u/v with v restricted to v > 0.
func overDenominator(f convex.Func) (u, v scalar, ok bool) {
	if v, p, ok := (scalar{terms: []term{{1, f}}}).asPower(); ok && p == -1 {
		return constantExpr(1), v, true
	}
	a, b, ok := twoFactors(f)
	if !ok {
		return scalar{}, scalar{}, false
	}
	for range 2 {
		if v, p, ok := b.asPower(); ok && p == -1 {
			return a.Scale(b.terms[0].w), v, true
		}
		a, b = b, a
	}
	return scalar{}, scalar{}, false
}

// exponents are the affine functions of which e is written as the sum of exponentials.
func (e scalar) exponents() (convex.Array, bool) {
	if e.err != nil || e.composite || !e.lin.IsConst() || e.lin.Const < 0 || len(e.terms) == 0 {
		return convex.Array{}, false
	}
	var rows []convex.Linear
	if e.lin.Const > 0 {
		rows = append(rows, convex.Linear{Const: math.Log(e.lin.Const)})
	}
	for _, t := range e.terms {
		c, ok := t.f.(*curveAtom)
		if !ok || !(t.w > 0) || c.own != nil || !c.f.is("exp") || !c.e().isAffineNow() {
			return convex.Array{}, false
		}
		rows = append(rows, c.e().lin.AddScaled(1, convex.Linear{Const: math.Log(t.w)}))
	}
	return convex.Entries(rows...), true
}

func logAtoms() []constructor {
	return []constructor{
		{op: "log", args: 1, make: of(Log)},
		{op: "entr", args: 1, make: of(Entropy)},
	}
}

// Exp is eᵘ.
func Exp(u Expr) Expr { return u.apply("exp") }

// Logistic is log(1 + eᵘ).
func Logistic(u Expr) Expr { return u.apply("logistic") }

// XExp is u·eᵘ on u ≥ 0. It is represented by w ≥ u² and u·exp(w/u) ≤ t.
func XExp(u Expr) Expr { return u.apply("xexp") }

// LogSumExp is log Σ exp aₖ.
//
//	arguments  a: an array of any shape
//	curvature  convex
//	sign       any
//	monotone   a: nondecreasing
//	domain     all
//	takes      any with a split
//	refuses    an array without entries
//	form       exponential cones and rows
//	source     Chares 2009
func LogSumExp(a Expr) Expr { return a.row(atom.LogSumExp) }

func expOf(e scalar) scalar { return applyTo("exp", e) }

func expAtoms() []constructor {
	return []constructor{
		{op: "exp", args: 1, make: of(Exp)},
		{op: "logistic", args: 1, make: of(Logistic)},
		{op: "xexp", args: 1, make: of(XExp)},
	}
}
