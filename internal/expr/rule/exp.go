package rule

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// LogOf is log e, of products and quotients by their factors.
func LogOf(e expr.Scalar) expr.Scalar {
	if a, ok := e.Exponents(); ok { // log(Σ exp(aₖ))
		return expr.Reduce(atom.LogSumExp, nil, a)
	}
	if e.Err == nil && !e.IsConcave() {
		for _, rule := range []func(expr.Scalar) (expr.Scalar, bool){logOfPower, logOfProduct, logOfQuotients} {
			if l, ok := rule(e); ok && l.Err == nil {
				return l
			}
		}
	}
	return expr.ApplyTo("log", e)
}

// logOfPower is log w + p·log v of e = w·vᵖ with v restricted to v > 0.
func logOfPower(e expr.Scalar) (expr.Scalar, bool) {
	v, p, ok := e.AsPower()
	if !ok {
		return expr.Scalar{}, false
	}
	return LogOf(v).Scale(p).Shift(math.Log(e.Terms[0].W)), true
}

// logOfProduct is log |w| + log |u| + log |v| of e = w·u·v where u or v has a known sign, so
// that the other one has a sign where e > 0.
func logOfProduct(e expr.Scalar) (expr.Scalar, bool) {
	if len(e.Terms) != 1 || !e.Lin.IsZero() {
		return expr.Scalar{}, false
	}
	w := e.Terms[0].W
	u, v, ok := twoFactors(e.Terms[0].F)
	if !ok {
		return expr.Scalar{}, false
	}
	if i := u.Over(); !(i.Lo >= 0 || i.Hi <= 0) {
		u, v = v, u
	}
	switch i := u.Over(); {
	case i.Lo >= 0:
	case i.Hi <= 0:
		u, w = u.Neg(), -w
	default:
		return expr.Scalar{}, false
	}
	if w < 0 {
		v = v.Neg()
	}
	return expr.SumOf([]expr.Scalar{LogOf(u), LogOf(v), expr.Number(math.Log(math.Abs(w)))}), true
}

// logOfQuotients is log(l·v + Σ wₖ·uₖ) − log v of e = l + Σ wₖ·uₖ/v with v restricted to v > 0.
func logOfQuotients(e expr.Scalar) (expr.Scalar, bool) {
	var v expr.Scalar
	parts := make([]expr.Scalar, 0, len(e.Terms)+1)
	for k, t := range e.Terms {
		u, d, ok := overDenominator(t.F)
		if !ok || k > 0 && !d.Same(&v) {
			return expr.Scalar{}, false
		}
		v, parts = d, append(parts, u.Scale(t.W))
	}
	return LogOf(expr.SumOf(append(parts, TimesOf(expr.OfLinear(e.Lin), v)))).Sub(LogOf(v)), true
}

// overDenominator are u and v of f = u/v with v restricted to v > 0.
func overDenominator(f convex.Func) (u, v expr.Scalar, ok bool) {
	if v, p, ok := (expr.Scalar{Terms: []expr.Term{{W: 1, F: f}}}).AsPower(); ok && p == -1 {
		return expr.Number(1), v, true
	}
	a, b, ok := twoFactors(f)
	if !ok {
		return expr.Scalar{}, expr.Scalar{}, false
	}
	for range 2 {
		if v, p, ok := b.AsPower(); ok && p == -1 {
			return a.Scale(b.Terms[0].W), v, true
		}
		a, b = b, a
	}
	return expr.Scalar{}, expr.Scalar{}, false
}

// ExpOf is the exponential of e.
func ExpOf(e expr.Scalar) expr.Scalar { return expr.ApplyTo("exp", e) }
