package project

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
)

// scaledNorm is scale·‖v‖₂, without overflow or underflow in between.
func scaledNorm(v []float64, scale float64) float64 {
	if top := num.NormInf(v); top > 1e-120 && top < 1e120 {
		return scale * num.Norm2(v)
	}
	return num.ScaledNorm2(len(v), func(k int) float64 { return scale * v[k] })
}

func fill(dst []float64, x float64) {
	for i := range dst {
		dst[i] = x
	}
}

// triple reads the three entries of v with the power of two taken out that
// brings the largest to [½, 1). ok is false for entries that are not finite.
func triple(v []float64) (a, b, c float64, exp int, ok bool) {
	top := num.NormInf(v[:3])
	if !num.Finite(top) {
		return 0, 0, 0, 0, false
	}
	_, exp = math.Frexp(top)
	return math.Ldexp(v[0], -exp), math.Ldexp(v[1], -exp), math.Ldexp(v[2], -exp), exp, true
}

// root finds the zero between lo and hi of f, which is negative before it and
// positive after, to the last digits; infinite values are welcome. Where f has
// the wrong sign at an end, the root is that end. It looks between guess − off and
// guess + off first, NaN for no guess. Method: Chandrupatla 1997.
func root(f func(float64) float64, lo, hi, guess, off float64) float64 {
	fa, fb := math.NaN(), math.NaN()
	for _, x := range [...]float64{guess - off, guess + off} {
		if lo < x && x < hi {
			if v := f(x); v < 0 {
				lo, fb = x, v
			} else if v > 0 {
				hi, fa = x, v
			}
		}
	}
	if fa != fa {
		fa = f(hi)
	}
	if fb != fb {
		fb = f(lo)
	}
	a, b := hi, lo // the newest point and the other end
	switch {
	case !(fb < 0):
		return lo
	case !(fa > 0):
		return hi
	}
	c, fc := b, fb // the point that was left last
	t := 0.5
	for range 400 { // bisection alone takes fewer
		x := a + t*(b-a)
		fx := f(x)
		if math.IsNaN(fx) {
			return x
		}
		if (fx > 0) == (fa > 0) {
			c, fc = a, fa
		} else {
			c, fc, b, fb = b, fb, a, fa
		}
		a, fa = x, fx
		best := a
		if math.Abs(fb) < math.Abs(fa) {
			best = b
		}
		tol := 2 * 0x1p-52 * math.Abs(best)
		least := tol / math.Abs(b-c)
		if fa == 0 {
			return a
		}
		if !(math.Abs(b-a) > tol) || least > 0.5 {
			return best
		}
		t = 0.5
		ξ, φ := (a-b)/(c-b), (fa-fb)/(fc-fb)
		if φ*φ < ξ && (1-φ)*(1-φ) < 1-ξ {
			q := fa/(fb-fa)*fc/(fb-fc) + (c-a)/(b-a)*fa/(fc-fa)*fb/(fc-fb)
			if q >= 0 && q <= 1 { // false for NaN
				t = q
			}
		}
		t = min(1-least, max(least, t))
	}
	return a
}
