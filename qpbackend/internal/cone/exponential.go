package cone

import "math"

// exponential is the barrier −log(v − u − u·log(−w/u)) − log(−u) − log w of the
// dual cone, u < 0, w ≥ −u·exp(v/u − 1).
type exponential struct{}

// unit solves e = −∇f*(e).
func (exponential) unit() [3]float64 {
	return [3]float64{-1.05138394375022892, 0.556409618604338437, 1.258967886464460257}
}

func (exponential) at(z *[3]float64, t *tangent) bool {
	u, v, w := z[0], z[1], z[2]
	if !(u < 0 && w > 0) {
		return false
	}
	ratio := w / -u
	ℓ := math.Log(ratio)
	t.ψ = v - u - u*ℓ
	t.grad = [3]float64{-ℓ, 1, 1 / ratio}
	return t.ψ > 0
}

func (exponential) curvature(z *[3]float64, ψ float64) (c curvature) {
	u, w, over := 1/z[0], 1/z[2], 1/ψ
	c.g0, c.g2 = -u, -w
	c.h00, c.h02, c.h22 = u*u-u*over, w*over, w*w*(1-z[0]*over)
	return c
}

func (exponential) change(z, p, q *[3]float64, c *change) {
	u, w := 1/z[0], 1/z[2]
	ratio := z[0] * w
	pu, pw, qu, qw := p[0]*u, p[2]*w, q[0]*u, q[2]*w
	dp, dq := pu-pw, qu-qw
	c.hp, c.hq = [3]float64{dp, 0, -ratio * dp}, [3]float64{dq, 0, -ratio * dq}
	c.ψ = [3]float64{pw*qw - pu*qu, 0, ratio * (pu*qw + pw*qu - 2*pw*qw)}
	c.own = [3]float64{-2 * pu * qu * u, 0, -2 * pw * qw * w}
}

// clearly reports whether x is inside, where that is seen without a logarithm: the logarithm of
// 0.37 is above −1.
func (exponential) clearly(x *[3]float64, dual bool) bool {
	if dual {
		return x[1] >= 0 && x[2] >= -0.37*x[0]
	}
	return x[0] <= 0 && x[2] > x[1]
}

// depth is s₁·log(s₂/s₁) − s₀, or ψ in the dual cone.
func (exponential) depth(x, d *[3]float64, dual bool) (f, slope float64) {
	if dual {
		u, du := -x[0], -d[0]
		log := math.Log(x[2] / u)
		return x[1] + u + u*log, d[1] + du*log + d[2]*u/x[2]
	}
	log := math.Log(x[2] / x[1])
	return x[1]*log - x[0], d[1]*(log-1) + d[2]*x[1]/x[2] - d[0]
}

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
	t := excess(r)
	a, slope := 1/(t*s1), s[0]/s1
	z[0], z[2] = -a, (1+a*s1)/s2
	// v = 1/s₁ + u(1 + log(w/a)) by the third equation, and log(w/a) = −t − s₀/s₁.
	z[1] = 2/s1 + a*(slope-1)
	return t > 0 && a <= math.MaxFloat64 && z[2] <= math.MaxFloat64
}

// excess solves t + log(1 + t) = r > 0, by the iteration of order four of Fritsch, Shafer and
// Crowley 1973 from the first terms of the series about zero or infinity (Corless and Jeffrey
// 2002): mostly by one step.
func excess(r float64) float64 {
	t := r * (1./2 + r*(1./16-r/192))
	if r > 2 {
		x := r + 1
		l := math.Log(x)
		over := 1 / x
		t = r - l*(1-over*(1+over*(l/2-1)))
	}
	for range 50 {
		log := 0.0
		if t < 0.5 {
			log = math.Log1p(t)
		} else {
			log = math.Log(1 + t)
		}
		rest, w := r-t-log, 2+t
		a := w * (w + 2./3*rest)
		t += (1 + t) * rest / w * ((a - rest/2) / (a - rest))
		if math.Abs(rest) <= 1e-3*t {
			break
		}
	}
	return t
}
