package project

import "math"

// Power projects on v₀^α·v₁^(1−α) ≥ |v₂|, v₀, v₁ ≥ 0, with 0 < α < 1. Outside of
// the cone and its polar the third entry of the projection has a size r between
// 0 and |v₂| at which r, with x(r) = (v₀ + √(v₀² + 4α·r·(|v₂| − r)))/2 and y(r)
// likewise, lies on the boundary (Hien 2015).
func Power(dst, v []float64, α float64) {
	x, y, z, exp, ok := triple(v)
	h, β := math.Abs(z), 1-α
	switch {
	case !ok:
		fill(dst[:3], math.NaN())
		return
	case x >= 0 && y >= 0 && (h == 0 || logPower(x, y, α) >= math.Log(h)):
		copy(dst, v[:3])
		return
	case x <= 0 && y <= 0 && (h == 0 || logPower(-x/α, -y/β, α) >= math.Log(h)):
		fill(dst[:3], 0)
		return
	case h == 0:
		dst[0], dst[1], dst[2] = max(v[0], 0), max(v[1], 0), 0
		return
	}
	// r = h/(1 + e^−τ), so that r and h − r both keep their digits; in
	// logarithms, which do not underflow.
	logh, logα, logβ := math.Log(h), math.Log(α), math.Log(β)
	point := func(τ float64) (px, py, r float64) {
		soft := math.Log1p(math.Exp(-math.Abs(τ))) // and max(τ, 0) is log(1 + e^τ)
		r = logh - (max(-τ, 0) + soft)
		both := r + logh - (max(τ, 0) + soft)
		return lifted(x, logα+both), lifted(y, logβ+both), r
	}
	e, off := nearby(x, y, h, logh, α)
	τ := root(func(τ float64) float64 {
		px, py, r := point(τ)
		return r - α*px - β*py
	}, -3000, 3000, math.Log(h/e-1), off)
	px, py, r := point(τ)
	dst[0], dst[1] = math.Ldexp(math.Exp(px), exp), math.Ldexp(math.Exp(py), exp)
	dst[2] = math.Ldexp(math.Copysign(math.Exp(r), z), exp)
}

// nearby is about h − r for a point near the cone, as most in need of a projection are, and its
// relative error: Newton's step from h or, where x or y is negative, from the boundary point with
// the other one. It is of no use for other points.
func nearby(x, y, h, logh, α float64) (e, off float64) {
	β := 1 - α
	switch {
	case x > 0 && y > 0:
		far := logh - logPower(x, y, α)
		return far / (1/h + h*(α/x*(α/x)+β/y*(β/y))), far/min(α, β) + 0x1p-50/far
	case x <= 0:
		x, y, α, β = y, x, β, α
	}
	w := math.Exp((logh - α*math.Log(x)) / β)
	e = w * (w - y) / (β * h)
	return e, 2*e*(α/x*(α/x)*h+1/h)/β + 0x1p-50/β
}

// lifted is the logarithm of the positive root w of w² − x·w = e^c.
func lifted(x, c float64) float64 {
	s := math.Hypot(x, 2*math.Exp(c/2))
	switch {
	case x > 0:
		return math.Log((x + s) / 2)
	case x < 0:
		return c - math.Log((s-x)/2)
	}
	return c / 2
}

// logPower is log(x^α·y^(1−α)).
func logPower(x, y, α float64) float64 { return α*math.Log(x) + (1-α)*math.Log(y) }
