package project

import "math"

// beyond is a ρ from which on e^ρ and e^−ρ are infinite and zero in floating
// point, whatever they are multiplied with here.
// Source: derived: e^709 is the largest finite exponential in float64, here times
// numbers up to e^709.
const beyond = 1500.0

// Exponential projects on v₂ ≥ v₁·exp(v₀/v₁), v₁ > 0, and its closure. With
// p = (ρ, 1, e^ρ) on the boundary and d = (1, 1 − ρ, −e^−ρ) normal to the cone
// there, v = a·p + b·d with a, b > 0 has one solution ρ outside of the cone, its
// polar, and the quadrant v₀, v₁ ≤ 0 (Friberg 2023).
func Exponential(dst, v []float64) {
	r, s, t, exp, ok := triple(v)
	switch {
	case !ok:
		fill(dst[:3], math.NaN())
		return
	case inExponential(r, s, t):
		copy(dst, v[:3])
		return
	case inExponentialPolar(r, s, t):
		fill(dst[:3], 0)
		return
	}
	p := [3]float64{min(r, 0), 0, max(t, 0)} // on the face v₁ = 0
	if r > 0 || s > 0 {
		p = curved(r, s, t)
	}
	for i, e := range p {
		dst[i] = math.Ldexp(e, exp)
	}
}

// curved is the projection on the curved boundary of a point in need of one.
func curved(r, s, t float64) [3]float64 {
	// a and b are positive between lo and hi.
	lo, hi := -beyond, beyond
	if r > 0 {
		lo = max(lo, 1-s/r)
	}
	if s > 0 {
		hi = min(hi, r/s)
	}
	if !(lo < hi) { // the exponential is zero to the last digit
		if s > 0 {
			return [3]float64{r, s, max(t, 0)}
		}
		return [3]float64{0, 0, max(t, 0)}
	}
	parts := func(ρ float64) (a, b float64) {
		c := ρ*(ρ-1) + 1
		return max(((ρ-1)*r+s)/c, 0), max((r-ρ*s)/c, 0)
	}
	// Newton's step from the boundary point (r, s, ·), where b is zero: points in need of a
	// projection are mostly near the cone.
	e := math.Exp(hi)
	step := max((s*e-t)*((hi-1)*hi+1)/(s*(((hi-2)*hi+2)*e+1/e)), 0x1p-51*math.Abs(hi))
	ρ := root(func(ρ float64) float64 {
		a, b := parts(ρ)
		return times(a, math.Exp(ρ)) - times(b, math.Exp(-ρ)) - t
	}, lo, hi, hi-step, step)
	a, b := parts(ρ)
	if ρ > 0 { // here an error in a would be multiplied
		z := max(t+times(b, math.Exp(-ρ)), 0)
		a = z * math.Exp(-ρ)
		return [3]float64{a * ρ, a, z}
	}
	return [3]float64{a * ρ, a, a * math.Exp(ρ)}
}

// times is a·e, zero where a is.
func times(a, e float64) float64 {
	if a == 0 {
		return 0
	}
	return a * e
}

func inExponential(r, s, t float64) bool {
	if s > 0 {
		return t >= times(s, math.Exp(r/s))
	}
	return s == 0 && r <= 0 && t >= 0
}

// inExponentialPolar: −K* is t ≤ −r·exp(s/r − 1), r > 0, and its closure.
func inExponentialPolar(r, s, t float64) bool {
	if r > 0 {
		return t <= -r*math.Exp(s/r-1)
	}
	return r == 0 && s <= 0 && t <= 0
}
