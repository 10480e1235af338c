package cone

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
)

// barrier is that of a dual cone of three rows,
//
//	f*(z) = −log ψ(z) − Σ cᵢ log|zᵢ|,  Σ cᵢ and ψ such that ν = 3.
type barrier interface {
	// at sets ψ, its gradient and Hessian at z, and returns false outside the
	// interior.
	at(z *[3]float64, d *derivatives) bool
	// third is the third derivative of ψ along p and q.
	third(z, p, q *[3]float64) [3]float64
	// weights are the cᵢ.
	weights() [3]float64
	// shadow sets z̃ to −∇f(s): the z with ∇f*(z̃) = −s. It returns false outside
	// the interior.
	shadow(z, s *[3]float64) bool
	// inside reports whether s is in the interior of the cone itself.
	inside(s *[3]float64) bool
	unit() [3]float64
}

type derivatives struct {
	ψ    float64
	grad [3]float64
	hess [3][3]float64
}

// asymmetric is a cone with such a dual.
//
// Near the boundary ψ is small and the Hessian of −log ψ, ∇ψ∇ψᵀ/ψ² − ∇²ψ/ψ,
// loses the second term to rounding in the first. Everything is therefore done
// in coordinates of which one is ∇ψ·x/ψ: x' = Tx. Vectors of the primal side
// become s' = T⁻ᵀs, and H = TᵀH'T.
type asymmetric struct {
	b      barrier
	degree float64 // of homogeneity of ψ
	z      [3]float64
	d      derivatives // at z
	g      [3]float64  // ∇f*(z)'
	f      [3][3]float64
	h      [3][3]float64 // H'
	row    [3]float64    // ∇ψ/ψ, which is row pivot of T
	pivot  int
	inv    float64 // of row[pivot]

	curvature cholesky // of f
	mixed     cholesky // of H + I

	// Workspace: arguments of interface methods would be allocated.
	s, shadow, p, q [3]float64
	tried           trial
}

// trial has all that is known of a point that Inside was asked about: Scale is mostly called for the last of them.
type trial struct {
	s, z, shadow [3]float64
	d            derivatives
	inside       bool // d is right, and s and z are in the interiors
	shadowed     bool // shadow is right
}

// of makes the trial that of s and z, with the shadow where that is asked for, and reports whether both are in the interiors.
func (t *trial) of(b barrier, s, z [3]float64, shadow bool) bool {
	if t.s != s || t.z != z {
		t.s, t.z, t.inside, t.shadowed = s, z, false, false
	}
	if !t.inside {
		t.inside = b.at(&t.z, &t.d) && (shadow || b.inside(&t.s))
	}
	if t.inside && shadow && !t.shadowed {
		t.shadowed = b.shadow(&t.shadow, &t.s)
		t.inside = t.shadowed
	}
	return t.inside
}

// Exponential is the cone s₂ ≥ s₁·exp(s₀/s₁), s₁ > 0, closed.
type Exponential struct{ asymmetric }

// NewExponential makes the cone.
func NewExponential() *Exponential { return &Exponential{asymmetric{b: exponential{}, degree: 1}} }

// Power is the cone s₀^α·s₁^(1−α) ≥ |s₂|, s₀, s₁ ≥ 0.
type Power struct{ asymmetric }

// NewPower makes the cone, 0 < α < 1.
func NewPower(α float64) *Power { return &Power{asymmetric{b: power{α}, degree: 2}} }

// Len is 3.
func (c *asymmetric) Len() int { return 3 }

// Degree is 3.
func (c *asymmetric) Degree() float64 { return 3 }

// Unit sets e to the point with e = −∇f*(e).
func (c *asymmetric) Unit(e []float64) {
	u := c.b.unit()
	copy(e, u[:])
}

// zero keeps 0/z at 0 where z may be zero: its weight is.
func zero(z float64) float64 {
	if z == 0 {
		return 1
	}
	return z
}

// to is Tx.
func (c *asymmetric) to(x [3]float64) [3]float64 {
	x[c.pivot] = num.Dot(c.row[:], x[:])
	return x
}

// from is T⁻¹x.
func (c *asymmetric) from(x [3]float64) [3]float64 {
	e := x[c.pivot]
	for j, v := range x {
		if j != c.pivot {
			e -= c.row[j] * v
		}
	}
	x[c.pivot] = e * c.inv
	return x
}

// up is T⁻ᵀs.
func (c *asymmetric) up(s [3]float64) [3]float64 {
	e := s[c.pivot] * c.inv
	for j := range s {
		s[j] -= c.row[j] * e
	}
	s[c.pivot] = e
	return s
}

// down is Tᵀs.
func (c *asymmetric) down(s [3]float64) [3]float64 {
	e := s[c.pivot]
	s[c.pivot] = 0
	for j := range s {
		s[j] += c.row[j] * e
	}
	return s
}

// expand sets T and the derivatives of f* at z, in its coordinates.
func (c *asymmetric) expand() {
	d, w := &c.d, c.b.weights()
	best := 0.0
	for i := range c.row {
		c.row[i] = d.grad[i] / d.ψ
		if v := math.Abs(d.grad[i] * c.z[i]); v > best {
			best, c.pivot = v, i
		}
	}
	c.inv = 1 / c.row[c.pivot]
	for i := range c.g {
		c.g[i] = -w[i] / zero(c.z[i])
		for j := range c.g {
			c.f[i][j] = -d.hess[i][j] / d.ψ
		}
		c.f[i][i] += w[i] / (zero(c.z[i]) * zero(c.z[i]))
	}
	c.g = c.up(c.g)
	c.g[c.pivot]--
	for i := range c.f {
		c.f[i] = c.up(c.f[i])
	}
	for j := range c.f {
		column := c.up([3]float64{c.f[0][j], c.f[1][j], c.f[2][j]})
		for i, v := range column {
			c.f[i][j] = v
		}
	}
	c.f[c.pivot][c.pivot]++
}

// Scale finds the secant scaling, or where it is not well defined, at the
// central path above all, the Hessian of the dual barrier times μ.
func (c *asymmetric) Scale(s, z []float64) bool {
	c.s, c.z = [3]float64(s), [3]float64(z)
	if !c.tried.of(c.b, c.s, c.z, true) {
		return false
	}
	c.d, c.shadow = c.tried.d, c.tried.shadow
	c.expand()
	c.curvature = newCholesky(&c.f)
	sv, shadow := c.up(c.s), c.to(c.shadow)
	zv := c.z
	zv[c.pivot] = c.degree
	μ := num.Dot(sv[:], zv[:]) / 3
	size := 0.0
	for i := range c.h {
		for j := range c.h {
			c.h[i][j] = μ * c.f[i][j]
		}
		size += c.h[i][i]
	}
	if !(μ > 0 && size > 0 && size <= math.MaxFloat64) {
		return false
	}
	c.secant(&sv, &zv, &shadow, μ)
	m := c.whole()
	for i := range m {
		m[i][i]++
	}
	c.mixed = newCholesky(&m)
	return true
}

// secant sets H' to the matrix with Hz = s and Hz̃ = s̃ = −g, z̃ the shadow, that
// is as the other one in the third direction.
func (c *asymmetric) secant(s, z, shadow *[3]float64, μ float64) {
	away := -μ*num.Dot(c.g[:], shadow[:])/3 - 1
	if !(away > nearlyCentral && away <= math.MaxFloat64) {
		return
	}
	var δs, δz [3]float64
	for i := range δs {
		δs[i], δz[i] = s[i]+μ*c.g[i], z[i]-μ*shadow[i]
	}
	a := [3]float64{z[1]*δz[2] - z[2]*δz[1], z[2]*δz[0] - z[0]*δz[2], z[0]*δz[1] - z[1]*δz[0]}
	fa, ok := c.curvature.solve(a)
	t := μ / num.Dot(a[:], fa[:])
	if !(ok && t > 0 && t <= math.MaxFloat64) {
		return
	}
	for i := range δs {
		for j := range δs {
			c.h[i][j] = s[i]*s[j]/(3*μ) + δs[i]*δs[j]/(3*μ*away) + t*a[i]*a[j]
		}
	}
}

// nearlyCentral is the distance μμ̃ − 1 from the central path up to which the
// secant equations say nothing that rounding leaves over.
// Source: docs/bench.md, Constants of ipm.
const nearlyCentral = 1e-7

// Mul sets dst to H·x.
func (c *asymmetric) Mul(dst, x []float64) {
	v := c.to([3]float64(x))
	out := c.down([3]float64{num.Dot(c.h[0][:], v[:]), num.Dot(c.h[1][:], v[:]), num.Dot(c.h[2][:], v[:])})
	copy(dst, out[:])
}

// whole is H.
func (c *asymmetric) whole() (m [3][3]float64) {
	for i := range m {
		m[i] = c.down(c.h[i])
	}
	for j := range m {
		column := c.down([3]float64{m[0][j], m[1][j], m[2][j]})
		m[0][j], m[1][j], m[2][j] = column[0], column[1], column[2]
	}
	return m
}

// Block sets h to the upper triangle of H, column by column.
func (c *asymmetric) Block(h []float64) {
	m, k := c.whole(), 0
	for j := range m {
		for i := range j + 1 {
			h[k] = m[i][j]
			k++
		}
	}
}

// Expansion writes H as diag(d) + uuᵀ − vvᵀ with diag(d) − vvᵀ positive definite.
// Along one direction H is larger than along the others the more, the smaller the distance from
// the boundary is: u takes that, so that the rest keeps its digits. With p
// the coordinate that the first of those is in, H' less half of what leaves it
// positive definite at p has the Cholesky factor u' in column p, and a remainder
// S in the other two; the entry of S off the diagonal becomes that of −vvᵀ.
func (c *asymmetric) Expansion(d, u, v []float64) {
	p := c.pivot
	var e [3]float64
	e[p] = 1
	e = c.up(e)
	h := c.h
	clear(d)
	clear(v)
	factor := newCholesky(&c.h)
	if q, ok := factor.solve(e); ok {
		d[p] = 0.5 / num.Dot(e[:], q[:])
		for i := range h {
			for j := range h {
				h[i][j] -= d[p] * e[i] * e[j]
			}
		}
	}
	root := math.Sqrt(h[p][p])
	var column [3]float64
	for i := range column {
		column[i] = h[i][p] / root
	}
	j, k := (p+1)%3, (p+2)%3
	d[j], d[k] = max(h[j][j]-column[j]*column[j], 0), max(h[k][k]-column[k]*column[k], 0)
	if b := h[j][k] - column[j]*column[k]; b != 0 && d[j] > 0 && d[k] > 0 {
		v[j] = math.Sqrt(math.Abs(b) * math.Sqrt(d[j]/d[k]))
		v[k] = -b / v[j]
		d[j] += v[j] * v[j]
		d[k] += v[k] * v[k]
	}
	column = c.down(column)
	copy(u, column[:])
}

// Absorb does without where H has no Cholesky factor.
func (c *asymmetric) Absorb(ds, e []float64) {
	if rest, ok := c.mixed.solve([3]float64(e)); ok {
		for i := range ds {
			ds[i] += e[i] - rest[i]
		}
	}
}

// Correct adds −σμ·∇f*(z) + ½∇³f*(z)[dz, ∇²f*(z)⁻¹ds].
func (c *asymmetric) Correct(rc, ds, dz []float64, σμ float64) {
	g := c.down(c.g)
	for i, v := range g {
		rc[i] -= σμ * v
	}
	q, ok := c.curvature.solve(c.up([3]float64(ds)))
	if !ok {
		return
	}
	p := c.to([3]float64(dz))
	third := c.thirdDerivative(p, q)
	for _, v := range third {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return
		}
	}
	for i, v := range third {
		rc[i] += v / 2
	}
}

// thirdDerivative is ∇³f*(z)[T⁻¹p, T⁻¹q].
func (c *asymmetric) thirdDerivative(p, q [3]float64) (t [3]float64) {
	d, w := &c.d, c.b.weights()
	gp, gq := p[c.pivot], q[c.pivot] // ∇ψ·p/ψ
	p, q = c.from(p), c.from(q)
	c.p, c.q = p, q
	cube := c.b.third(&c.z, &c.p, &c.q)
	var hp, hq [3]float64
	for i := range hp {
		hp[i], hq[i] = num.Dot(d.hess[i][:], p[:]), num.Dot(d.hess[i][:], q[:])
	}
	gpq := num.Dot(hp[:], q[:])/d.ψ - 2*gp*gq
	for i := range t {
		z := zero(c.z[i])
		t[i] = (-cube[i]+hp[i]*gq+hq[i]*gp)/d.ψ + c.row[i]*gpq - 2*w[i]*p[i]/z*(q[i]/z)/z
	}
	return t
}

// Inside reports whether s and z are in the interiors and central enough.
func (c *asymmetric) Inside(s, z []float64, share, μ float64) bool {
	t := &c.tried
	if !t.of(c.b, [3]float64(s), [3]float64(z), share != 0) {
		return false
	}
	if share == 0 {
		return true
	}
	w, product := c.b.weights(), num.Dot(t.d.grad[:], t.shadow[:])/t.d.ψ
	for i, v := range t.shadow {
		product += w[i] / zero(t.z[i]) * v
	}
	return share*μ*product <= 3
}

// Contains reports whether v is in the interior.
func (c *asymmetric) Contains(v []float64) bool {
	c.s = [3]float64(v)
	return c.b.inside(&c.s)
}

// cholesky is the factor of a positive definite matrix, its diagonal as reciprocals; ok is false where the matrix is none.
type cholesky struct {
	r0, r1, r2, l10, l20, l21 float64
	ok                        bool
}

func newCholesky(a *[3][3]float64) (l cholesky) {
	d0 := math.Sqrt(a[0][0])
	l.r0 = 1 / d0
	l.l10, l.l20 = a[1][0]*l.r0, a[2][0]*l.r0
	d1 := math.Sqrt(a[1][1] - l.l10*l.l10)
	l.r1 = 1 / d1
	l.l21 = (a[2][1] - l.l20*l.l10) * l.r1
	d2 := math.Sqrt(a[2][2] - l.l20*l.l20 - l.l21*l.l21)
	l.r2 = 1 / d2
	l.ok = d0 > 0 && d1 > 0 && d2 > 0
	return l
}

// solve is the solution for the right-hand side b.
func (l *cholesky) solve(b [3]float64) (x [3]float64, ok bool) {
	if !l.ok {
		return x, false
	}
	y0 := b[0] * l.r0
	y1 := (b[1] - l.l10*y0) * l.r1
	y2 := (b[2] - l.l20*y0 - l.l21*y1) * l.r2
	x[2] = y2 * l.r2
	x[1] = (y1 - l.l21*x[2]) * l.r1
	x[0] = (y0 - l.l10*x[1] - l.l20*x[2]) * l.r0
	return x, true
}
