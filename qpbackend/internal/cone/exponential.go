package cone

import "math"

// exponential is the barrier −log(v − u − u·log(−w/u)) − log(−u) − log w of the
// dual cone, u < 0, w ≥ −u·exp(v/u − 1).
type exponential struct{}

func (exponential) weights() [3]float64 { return [3]float64{1, 0, 1} }

// unit solves e = −∇f*(e).
func (exponential) unit() [3]float64 {
	return [3]float64{-1.05138394375022892, 0.556409618604338437, 1.258967886464460257}
}

func (exponential) at(z *[3]float64, d *derivatives) bool {
	u, v, w := z[0], z[1], z[2]
	if !(u < 0 && w > 0) {
		return false
	}
	ℓ := math.Log(w / -u)
	d.ψ = v - u - u*ℓ
	d.grad = [3]float64{-ℓ, 1, -u / w}
	d.hess = [3][3]float64{{1 / u, 0, -1 / w}, {}, {-1 / w, 0, u / (w * w)}}
	return d.ψ > 0
}

func (exponential) third(z, p, q *[3]float64) [3]float64 {
	u, w := z[0], z[2]
	pu, pw, qu, qw := p[0]/u, p[2]/w, q[0]/u, q[2]/w
	return [3]float64{pw*qw - pu*qu, 0, u / w * (pu*qw + pw*qu - 2*pw*qw)}
}

func (exponential) inside(s *[3]float64) bool { return room(s) > 0 }

// room is log(s₂/s₁) − s₀/s₁, NaN where that is no number.
func room(s *[3]float64) float64 {
	if !(s[1] > 0 && s[2] > 0) {
		return math.NaN()
	}
	r := math.Log(s[2]/s[1]) - s[0]/s[1]
	if !(math.Abs(r) <= math.MaxFloat64) {
		return math.NaN()
	}
	return r
}

// shadow: the equations ∇f*(z) = −s give, with t = −1/(u·s₁),
// t + log(1 + t) = log(s₂/s₁) − s₀/s₁.
func (exponential) shadow(z, s *[3]float64) bool {
	s1, s2 := s[1], s[2]
	r := room(s)
	if !(r > 0) {
		return false
	}
	// Halley's method, which triples the digits: the last step needs but a third.
	t := r/2 + r*r/16
	if r > 2 {
		t = r - math.Log(r)
	}
	for range 50 {
		inv := 1 / (1 + t)
		f, slope := r-t-math.Log1p(t), 1+inv
		step := f * slope / (slope*slope - f*inv*inv/2)
		t += step
		if math.Abs(step) <= 1e-6*t {
			break
		}
	}
	a := 1 / (t * s1)
	w := (1 + a*s1) / s2
	z[0], z[2] = -a, w
	// v = 1/s₁ + u(1 + log(w/a)), by the third equation.
	z[1] = 1/s1 - a*(1+math.Log(w/a))
	return t > 0 && a <= math.MaxFloat64 && w <= math.MaxFloat64
}
