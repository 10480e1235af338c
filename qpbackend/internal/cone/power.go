package cone

import "math"

// power is the barrier −log(φ − w²) − (1−α)·log u − α·log v of the dual cone,
// φ = (u/α)^2α·(v/(1−α))^(2−2α) ≥ w².
type power struct{ α float64 }

func (p power) unit() [3]float64 {
	return [3]float64{math.Sqrt(1 + p.α), math.Sqrt(2 - p.α), 0}
}

// root is √φ.
func (p power) root(u, v float64) float64 {
	return math.Exp(p.α*math.Log(u/p.α) + (1-p.α)*math.Log(v/(1-p.α)))
}

func (p power) at(z *[3]float64, t *tangent) bool {
	u, v, w := z[0], z[1], z[2]
	if !(u > 0 && v > 0) {
		return false
	}
	r := p.root(u, v)
	t.ψ = (r - math.Abs(w)) * (r + math.Abs(w))
	φ := r * r
	t.grad = [3]float64{2 * p.α * φ / u, (2 - 2*p.α) * φ / v, -2 * w}
	return r > math.Abs(w) && t.ψ > 0 && φ <= math.MaxFloat64
}

func (p power) curvature(z *[3]float64, ψ float64) (c curvature) {
	a, b := 2*p.α, 2-2*p.α
	u, v, over := 1/z[0], 1/z[1], 1/ψ
	φ := (ψ + z[2]*z[2]) * over
	c.g0, c.g1 = -(1-p.α)*u, -p.α*v
	c.h00, c.h01, c.h11 = u*u*(1-p.α-a*(a-1)*φ), -a*b*φ*u*v, v*v*(p.α-b*(b-1)*φ)
	c.h22 = 2 * over
	return c
}

func (p power) change(z *[3]float64, ψ float64, x, y *[3]float64, c *change) {
	φ, a, b := ψ+z[2]*z[2], 2*p.α, 2-2*p.α
	u, v := 1/z[0], 1/z[1]
	xu, xv, yu, yv := x[0]*u, x[1]*v, y[0]*u, y[1]*v
	mixed := xu*yv + xv*yu
	c.ψ = [3]float64{
		a * φ * u * ((a-1)*(a-2)*xu*yu + (a-1)*b*mixed + b*(b-1)*xv*yv),
		b * φ * v * (a*(a-1)*xu*yu + a*(b-1)*mixed + (b-1)*(b-2)*xv*yv),
		0,
	}
	c.own = [3]float64{-2 * (1 - p.α) * xu * yu * u, -2 * p.α * xv * yv * v, 0}
	c.hp = [3]float64{a * φ * u * ((a-1)*xu + b*xv), b * φ * v * (a*xu + (b-1)*xv), -2 * x[2]}
	c.hq = [3]float64{a * φ * u * ((a-1)*yu + b*yv), b * φ * v * (a*yu + (b-1)*yv), -2 * y[2]}
}

// depth is s₀^α·s₁^(1−α) − |s₂|, or √φ − |w| in the dual cone.
func (p power) depth(x, d *[3]float64, dual bool) (f, slope float64) {
	root := p.root(x[0], x[1])
	if !dual {
		root *= math.Pow(p.α, p.α) * math.Pow(1-p.α, 1-p.α)
	}
	return root - math.Abs(x[2]), root*(p.α*d[0]/x[0]+(1-p.α)*d[1]/x[1]) - math.Copysign(1, x[2])*d[2]
}

// room is log(s₀^α·s₁^(1−α)/|s₂|).
func (p power) room(s *[3]float64) float64 {
	if !(s[0] > 0 && s[1] > 0) {
		return math.NaN()
	}
	return p.α*math.Log(s[0]) + (1-p.α)*math.Log(s[1]) - math.Log(math.Abs(s[2]))
}

// shadow: with ρ = φ/(φ − w²) = 1 + t the equations ∇f*(z) = −s are
// u = (2αρ + 1 − α)/s₀, v = (2(1−α)ρ + α)/s₁ and φ = 4ρ(ρ − 1)/s₂², one equation
// in t.
func (p power) shadow(z, s *[3]float64) bool {
	s0, s1, s2 := s[0], s[1], math.Abs(s[2])
	α, β := p.α, 1-p.α
	room := p.room(s)
	if !(room > 0) {
		return false
	}
	if s2 == 0 {
		z[0], z[1], z[2] = (1+α)/s0, (1+β)/s1, 0
		return true
	}
	t := p.find(room)
	z[0], z[1] = (1+α+2*α*t)/s0, (1+β+2*β*t)/s1
	z[2] = -2 * t / s[2]
	return t > 0 && t <= math.MaxFloat64
}

// find solves F(t) = 2·room for the decreasing function
//
//	F(t) = α·log((a+t)²/(t(1+t))) + β·log((b+t)²/(t(1+t))), a = (1+α)/2α, b = (1+β)/2β,
//
// by Newton's method in log t: F is convex there, so that steps from the left
// of the root stay on it.
func (p power) find(room float64) float64 {
	α, β := p.α, 1-p.α
	a, b := (1+α)/(2*α), (1+β)/(2*β)
	// F(t) = 2α·log1p(a/t) + 2β·log1p(b/t) − log1p(1/t), and a, b ≥ 1.
	F := func(t float64) float64 {
		return 2*α*math.Log1p(a/t) + 2*β*math.Log1p(b/t) - math.Log1p(1/t) - 2*room
	}
	// Left of the root: F ≥ log1p(1/t).
	t := 1 / math.Expm1(min(2*room, 700))
	for range 100 {
		f := F(t)
		slope := -2*α*a/(a+t) - 2*β*b/(b+t) + 1/(1+t)
		step := -f / slope // of log t
		t *= math.Exp(max(min(step, 5), -5))
		if !(math.Abs(step) > 1e-8 && math.Abs(f) > 1e-15) { // the digits double
			break
		}
	}
	return t
}
