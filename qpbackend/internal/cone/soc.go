package cone

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
)

// SecondOrder is the cone s₀ ≥ ‖(s₁, …)‖₂. With one row it is the half-line.
//
// The scaling is W = η·[w₀ w₁ᵀ; w₁ I + w₁w₁ᵀ/(1+w₀)], w₀² − ‖w₁‖² = 1, and
// H = W² = η²(2wwᵀ − J).
type SecondOrder struct {
	η    float64
	w    []float64
	λ    []float64 // Wz = W⁻¹s
	det  float64   // λ₀² − ‖λ₁‖²
	a, b []float64 // scaled directions
	s, z []float64 // s and z divided by their determinants' roots
	rs   float64   // those roots
	rz   float64
}

// NewSecondOrder makes the cone with n ≥ 1 rows.
func NewSecondOrder(n int) *SecondOrder {
	vec := func() []float64 { return make([]float64, n) }
	return &SecondOrder{w: vec(), λ: vec(), a: vec(), b: vec(), s: vec(), z: vec()}
}

// Degree is 1: the barrier is −½ log(s₀² − ‖s₁‖²).
func (c *SecondOrder) Degree() float64 { return 1 }

// Unit is (1, 0, …).
func (c *SecondOrder) Unit(e []float64) {
	clear(e)
	e[0] = 1
}

// Margin is v₀ − ‖v₁‖.
func (c *SecondOrder) Margin(v []float64) float64 { return v[0] - num.Norm2(v[1:]) }

// normalise sets dst to v over the root of its determinant, and returns that;
// not positive outside the interior.
func normalise(dst, v []float64) float64 {
	r := num.Norm2(v[1:])
	root := math.Sqrt(v[0]-r) * math.Sqrt(v[0]+r)
	if !(root > 0 && root <= math.MaxFloat64) {
		return 0
	}
	tail := 0.0
	for i := 1; i < len(v); i++ {
		dst[i] = v[i] / root
		tail += dst[i] * dst[i]
	}
	dst[0] = math.Sqrt(1 + tail)
	return root
}

// Scale finds the Nesterov-Todd scaling.
func (c *SecondOrder) Scale(s, z []float64) bool {
	c.rs, c.rz = normalise(c.s, s), normalise(c.z, z)
	if !(c.rs > 0 && c.rz > 0) {
		return false
	}
	c.η = math.Sqrt(c.rs / c.rz)
	γ := math.Sqrt((1 + num.Dot(c.s, c.z)) / 2)
	tail := 0.0
	for i := 1; i < len(c.w); i++ {
		c.w[i] = (c.s[i] - c.z[i]) / (2 * γ)
		tail += c.w[i] * c.w[i]
	}
	c.w[0] = math.Sqrt(1 + tail)
	size := math.Sqrt(c.rs * c.rz)
	sum := c.s[0] + c.z[0] + 2*γ
	fs, fz := size*(γ+c.z[0])/sum, size*(γ+c.s[0])/sum
	tail = 0
	for i := 1; i < len(c.λ); i++ {
		c.λ[i] = fs*c.s[i] + fz*c.z[i]
		tail += c.λ[i] * c.λ[i]
	}
	c.λ[0] = math.Sqrt(size*size + tail)
	c.det = size * size
	return c.det > 0 && c.η > 0 && c.η <= math.MaxFloat64 && c.w[0] <= math.MaxFloat64
}

// Mul is η²(2w(wᵀx) − Jx).
func (c *SecondOrder) Mul(dst, x []float64) {
	t, η2 := 2*num.Dot(c.w, x), c.η*c.η
	for i, w := range c.w {
		dst[i] = η2 * (t*w + x[i])
	}
	dst[0] -= 2 * η2 * x[0]
}

// Block sets h to the upper triangle of H, column by column.
func (c *SecondOrder) Block(h []float64) {
	k, η2 := 0, c.η*c.η
	for j, wj := range c.w {
		for _, wi := range c.w[:j+1] {
			h[k] = 2 * η2 * wi * wj
			k++
		}
		h[k-1] += η2
	}
	h[0] = η2 * (c.w[0]*c.w[0] + num.Dot(c.w[1:], c.w[1:]))
}

// Expansion writes H as d + uuᵀ − vvᵀ, d diagonal and d − vvᵀ positive
// definite, after Domahidi, Chu & Boyd 2013.
func (c *SecondOrder) Expansion(d, u, v []float64) {
	w0 := c.w[0]
	sq := w0*w0 + num.Dot(c.w[1:], c.w[1:])
	inv := 1 / sq
	η2 := c.η * c.η
	u0 := math.Sqrt(sq - inv/2)
	u1 := 2 * w0 / u0
	v1 := math.Sqrt(2 * (2 + inv) / (2*sq - inv))
	for i, w := range c.w {
		d[i], u[i], v[i] = η2, c.η*u1*w, c.η*v1*w
	}
	d[0], u[0], v[0] = η2*inv/2, c.η*u0, 0
}

// Absorb goes by the eigenvectors of H, (1, ±w₁/‖w₁‖) and those at right angles to them, with
// the eigenvalues η²(w₀ ± ‖w₁‖)² and η².
func (c *SecondOrder) Absorb(ds, e []float64) {
	share := func(λ float64) float64 { return 1 / (1 + 1/λ) }
	η2, r := c.η*c.η, num.Norm2(c.w[1:])
	far := (c.w[0] + r) * (c.w[0] + r)
	rest, up, down := share(η2), share(η2*far), share(η2/far)
	along := 0.0
	if r > 0 {
		along = num.Dot(c.w[1:], e[1:]) / r
	}
	p, q := (e[0]+along)/2*up, (e[0]-along)/2*down
	ds[0] += p + q
	for i := 1; i < len(ds); i++ {
		if ds[i] += rest * e[i]; r > 0 {
			ds[i] += (p - q - rest*along) * c.w[i] / r
		}
	}
}

// apply sets dst to Wx, with inverse to W⁻¹x.
func (c *SecondOrder) apply(dst, x []float64, inverse bool) {
	f, x0 := c.η, x[0]
	if inverse {
		f, x0 = 1/c.η, -x[0]
	}
	t := num.Dot(c.w[1:], x[1:])
	m := f * (x0 + t/(1+c.w[0]))
	for i := 1; i < len(x); i++ {
		dst[i] = f*x[i] + m*c.w[i]
	}
	dst[0] = f * (c.w[0]*x0 + t)
	if inverse {
		dst[0] = f * (c.w[0]*x[0] - t)
	}
}

// Correct adds W(λ \ (σμ·e − W⁻¹ds ∘ Wdz)).
func (c *SecondOrder) Correct(rc, ds, dz []float64, σμ float64) {
	c.apply(c.a, ds, true)
	c.apply(c.b, dz, false)
	a0, b0 := c.a[0], c.b[0]
	c.a[0] = σμ - num.Dot(c.a, c.b)
	for i := 1; i < len(c.a); i++ {
		c.a[i] = -(a0*c.b[i] + b0*c.a[i])
	}
	// λ \ a
	y0 := (c.λ[0]*c.a[0] - num.Dot(c.λ[1:], c.a[1:])) / c.det
	for i := 1; i < len(c.a); i++ {
		c.a[i] = (c.a[i] - y0*c.λ[i]) / c.λ[0]
	}
	c.a[0] = y0
	c.apply(c.b, c.a, false)
	for i, v := range c.b {
		rc[i] += v
	}
}

// Reach are the steps to the boundary.
func (c *SecondOrder) Reach(ds, dz []float64) (αp, αd float64) {
	return reach(c.s, ds) * c.rs, reach(c.z, dz) * c.rz
}

// reach is the largest α with v + αd in the cone, v of determinant one: the
// point is brought to the unit, where the step is an eigenvalue's.
func reach(v, d []float64) float64 {
	t := num.Dot(v[1:], d[1:])
	ρ := v[0]*d[0] - t
	m := (d[0] + ρ) / (1 + v[0])
	sq := 0.0
	for i := 1; i < len(d); i++ {
		e := d[i] - m*v[i]
		sq += e * e
	}
	if fall := math.Sqrt(sq) - ρ; fall > 0 {
		return 1 / fall
	} else if fall != fall {
		return 0
	}
	return math.Inf(1)
}
