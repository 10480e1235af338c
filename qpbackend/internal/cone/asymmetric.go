package cone

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
)

// Asymmetric is the exponential cone s₂ ≥ s₁·exp(s₀/s₁), s₁ > 0, closed, or the power cone
// s₀^α·s₁^(1−α) ≥ |s₂|, s₀, s₁ ≥ 0.
//
// Near the boundary ψ is small and the Hessian of −log ψ, ∇ψ∇ψᵀ/ψ² − ∇²ψ/ψ, loses the second term
// to rounding in the first. Everything is therefore done in coordinates of which the first is
// ∇ψ·x/ψ in place of the pivot's: x' = Tx. Vectors of the primal side become s' = T⁻ᵀs, and H =
// TᵀH'T. The other two are those behind the pivot.
type Asymmetric struct {
	barrier
	z      [3]float64
	ψ      float64
	pivot  int
	row    [3]float64 // the first row of T, ∇ψ/ψ: of the pivot and the two behind it
	inv    float64    // of row[0]
	g      [3]float64 // ∇f*(z)'
	h      triangle   // H'
	curved factor     // of ∇²f*(z)'
	mixed  factor     // of H + I, in the order of the coordinates
	tried  trial
}

// trial has all that is known of a point that Inside was asked about: Scale is mostly called for
// the last of them.
type trial struct {
	tangent
	s, z, shadow [3]float64
	inside       bool // s and z are in the interiors, and the rest belongs to them
}

// of takes s and z for the trial, and reports whether both are in the interiors.
func (t *trial) of(b barrier, s, z []float64) bool {
	if s, z := [3]float64(s), [3]float64(z); !t.inside || t.s != s || t.z != z {
		t.s, t.z = s, z
		t.inside = b.at(&t.z, &t.tangent) && b.shadow(&t.shadow, &t.s)
	}
	return t.inside
}

// Exponential is the exponential cone.
func Exponential() Asymmetric { return Asymmetric{} }

// Power is the power cone, 0 < α < 1.
func Power(α float64) Asymmetric { return Asymmetric{barrier: barrier{α}} }

// Degree is 3.
func (c *Asymmetric) Degree() float64 { return 3 }

// Unit sets e to the point with e = −∇f*(e).
func (c *Asymmetric) Unit(e []float64) {
	u := exponential{}.unit()
	if c.α != 0 {
		u = power(c.barrier).unit()
	}
	copy(e, u[:])
}

// behind are the coordinates behind the pivot.
func (c *Asymmetric) behind() (p, j, k int) {
	p = c.pivot
	if j = p + 1; j == 3 {
		j = 0
	}
	return p, j, 3 - p - j
}

// to is Tx.
func (c *Asymmetric) to(x *[3]float64) [3]float64 {
	p, j, k := c.behind()
	return [3]float64{c.row[0]*x[p] + c.row[1]*x[j] + c.row[2]*x[k], x[j], x[k]}
}

// up is T⁻ᵀs.
func (c *Asymmetric) up(s *[3]float64) [3]float64 {
	p, j, k := c.behind()
	e := s[p] * c.inv
	return [3]float64{e, s[j] - c.row[1]*e, s[k] - c.row[2]*e}
}

// down sets dst to Tᵀs.
func (c *Asymmetric) down(dst []float64, s0, s1, s2 float64) {
	p, j, k := c.behind()
	dst = dst[:3]
	dst[p], dst[j], dst[k] = c.row[0]*s0, s1+c.row[1]*s0, s2+c.row[2]*s0
}

// expand sets T and the gradient of f* at z, and returns its Hessian, in the coordinates.
func (c *Asymmetric) expand(t *tangent) (f triangle) {
	best := 0.0
	for i, g := range t.grad {
		if v := math.Abs(g * c.z[i]); v > best {
			best, c.pivot = v, i
		}
	}
	p, j, k := c.behind()
	over := 1 / c.ψ
	c.row = [3]float64{t.grad[p] * over, t.grad[j] * over, t.grad[k] * over}
	c.inv = c.ψ / t.grad[p]
	m := c.barrier.curvature(&c.z, c.ψ)
	c.g = c.up(&[3]float64{m.g0, m.g1, m.g2})
	c.g[0]--
	whole := [3][3]float64{{m.h00, m.h01, m.h02}, {m.h01, m.h11, m.h12}, {m.h02, m.h12, m.h22}}
	inv, a, b := c.inv, c.row[1], c.row[2]
	pp, pj, pk := whole[p][p]*inv*inv, whole[p][j]*inv, whole[p][k]*inv
	f.a00 = pp + 1
	f.a10, f.a20 = pj-a*pp, pk-b*pp
	f.a11 = whole[j][j] - a*(pj+f.a10)
	f.a21 = whole[j][k] - a*pk - b*f.a10
	f.a22 = whole[k][k] - b*(pk+f.a20)
	return f
}

// Scale finds the secant scaling, or where it is not well defined, at the
// central path above all, the Hessian of the dual barrier times μ.
func (c *Asymmetric) Scale(s, z []float64) bool {
	t := &c.tried
	if !t.of(c.barrier, s, z) {
		return false
	}
	c.z, c.ψ = t.z, t.ψ
	f := c.expand(&t.tangent)
	c.curved = newFactor(&f)
	sv, shadow := c.up(&t.s), c.to(&t.shadow)
	_, j, k := c.behind()
	zv := [3]float64{c.homogeneity(), c.z[j], c.z[k]}
	μ := (sv[0]*zv[0] + sv[1]*zv[1] + sv[2]*zv[2]) / 3
	c.h = triangle{μ * f.a00, μ * f.a10, μ * f.a11, μ * f.a20, μ * f.a21, μ * f.a22}
	size := c.h.a00 + c.h.a11 + c.h.a22
	if !(μ > 0 && size > 0 && size <= math.MaxFloat64) {
		return false
	}
	c.secant(&sv, &zv, &shadow, μ)
	m := c.whole()
	m.a00++
	m.a11++
	m.a22++
	c.mixed = newFactor(&m)
	return true
}

// secant sets H' to the matrix with Hz = s and Hz̃ = s̃ = −g, z̃ the shadow, that
// is as the other one in the third direction.
func (c *Asymmetric) secant(s, z, shadow *[3]float64, μ float64) {
	away := -μ*(c.g[0]*shadow[0]+c.g[1]*shadow[1]+c.g[2]*shadow[2])/3 - 1
	if !(away > nearlyCentral && away <= math.MaxFloat64) {
		return
	}
	s0, s1, s2 := s[0]+μ*c.g[0], s[1]+μ*c.g[1], s[2]+μ*c.g[2]
	z0, z1, z2 := z[0]-μ*shadow[0], z[1]-μ*shadow[1], z[2]-μ*shadow[2]
	a0, a1, a2 := z[1]*z2-z[2]*z1, z[2]*z0-z[0]*z2, z[0]*z1-z[1]*z0
	f0, f1, f2, ok := c.curved.solve(a0, a1, a2)
	t := μ / (a0*f0 + a1*f1 + a2*f2)
	if !(ok && t > 0 && t <= math.MaxFloat64) {
		return
	}
	r := 1 / (3 * μ)
	q := r / away
	c.h = triangle{
		r*s[0]*s[0] + q*s0*s0 + t*a0*a0,
		r*s[1]*s[0] + q*s1*s0 + t*a1*a0, r*s[1]*s[1] + q*s1*s1 + t*a1*a1,
		r*s[2]*s[0] + q*s2*s0 + t*a2*a0, r*s[2]*s[1] + q*s2*s1 + t*a2*a1, r*s[2]*s[2] + q*s2*s2 + t*a2*a2,
	}
}

// nearlyCentral is the distance μμ̃ − 1 from the central path up to which the
// secant equations say nothing that rounding leaves over.
// Source: docs/lab/bench.md, Constants of ipm.
const nearlyCentral = 1e-7

// Mul sets dst to H·x.
func (c *Asymmetric) Mul(dst, x []float64) {
	v, h := c.to((*[3]float64)(x)), &c.h
	c.down(dst, h.a00*v[0]+h.a10*v[1]+h.a20*v[2], h.a10*v[0]+h.a11*v[1]+h.a21*v[2], h.a20*v[0]+h.a21*v[1]+h.a22*v[2])
}

// whole is H in the order of the coordinates.
func (c *Asymmetric) whole() (m triangle) {
	r, a, b, h := c.row[0], c.row[1], c.row[2], &c.h
	m.a10, m.a20 = h.a00*a+h.a10, h.a00*b+h.a20
	m.a11 = m.a10*a + (h.a10*a + h.a11)
	m.a21 = m.a10*b + (h.a20*a + h.a21)
	m.a22 = m.a20*b + (h.a20*b + h.a22)
	m.a00, m.a10, m.a20 = r*r*h.a00, r*m.a10, r*m.a20
	return m
}

// Expansion writes H as diag(d) + uuᵀ − vvᵀ with diag(d) − vvᵀ positive definite.
// Along one direction H is larger than along the others the more, the smaller the distance from
// the boundary is: u takes that, so that the rest keeps its digits. H' less half of what leaves it
// positive definite at the pivot has the Cholesky factor u' in the first column, and a remainder
// S in the other two; the entry of S off the diagonal becomes the one of −vvᵀ.
func (c *Asymmetric) Expansion(d, u, v []float64) {
	d, u, v = d[:3], u[:3], v[:3]
	p, j, k := c.behind()
	h, e0 := c.h, c.inv
	e1, e2 := -c.row[1]*e0, -c.row[2]*e0
	factor := newFactor(&c.h)
	d[p], v[p] = 0, 0
	if q0, q1, q2, ok := factor.solve(e0, e1, e2); ok {
		half := 0.5 / (e0*q0 + e1*q1 + e2*q2)
		d[p] = half
		h.a00 -= half * e0 * e0
		h.a10 -= half * e1 * e0
		h.a11 -= half * e1 * e1
		h.a20 -= half * e2 * e0
		h.a21 -= half * e2 * e1
		h.a22 -= half * e2 * e2
	}
	root := math.Sqrt(h.a00)
	over := 1 / root
	u1, u2 := h.a10*over, h.a20*over
	c.down(u, root, u1, u2)
	dj, dk, b := max(h.a11-u1*u1, 0), max(h.a22-u2*u2, 0), h.a21-u1*u2
	v[j], v[k] = 0, 0
	if b != 0 && dj > 0 && dk > 0 {
		vj := math.Sqrt(math.Abs(b) * math.Sqrt(dj/dk))
		vk := -b / vj
		dj += vj * vj
		dk += vk * vk
		v[j], v[k] = vj, vk
	}
	d[j], d[k] = dj, dk
}

// Absorb does without where H has no Cholesky factor.
func (c *Asymmetric) Absorb(ds, e []float64) {
	p, j, k := c.behind()
	ds, e = ds[:3], e[:3]
	if r0, r1, r2, ok := c.mixed.solve(e[p], e[j], e[k]); ok {
		ds[p] += e[p] - r0
		ds[j] += e[j] - r1
		ds[k] += e[k] - r2
	}
}

// Correct adds −σμ·∇f*(z) + ½∇³f*(z)[dz, ∇²f*(z)⁻¹ds].
func (c *Asymmetric) Correct(rc, ds, dz []float64, σμ float64) {
	rc = rc[:3]
	var add, third [3]float64
	c.down(add[:], -σμ*c.g[0], -σμ*c.g[1], -σμ*c.g[2])
	sv := c.up((*[3]float64)(ds))
	if q0, q1, q2, ok := c.curved.solve(sv[0], sv[1], sv[2]); ok {
		c.thirdDerivative(&third, (*[3]float64)(dz), q0, q1, q2)
		if size := math.Abs(third[0]) + math.Abs(third[1]) + math.Abs(third[2]); size <= math.MaxFloat64 {
			for i, v := range third {
				add[i] += v / 2
			}
		}
	}
	for i, v := range add {
		rc[i] += v
	}
}

// thirdDerivative sets t to ∇³f*(z)[p, T⁻¹q'].
func (c *Asymmetric) thirdDerivative(t, p *[3]float64, q0, q1, q2 float64) {
	at, j, k := c.behind()
	gp, gq := c.row[0]*p[at]+c.row[1]*p[j]+c.row[2]*p[k], q0 // ∇ψ·p/ψ
	var q [3]float64
	q[at], q[j], q[k] = (q0-c.row[1]*q1-c.row[2]*q2)*c.inv, q1, q2
	var d change
	c.barrier.change(&c.z, c.ψ, p, &q, &d)
	over := 1 / c.ψ
	gpq := (d.hp[0]*q[0]+d.hp[1]*q[1]+d.hp[2]*q[2])*over - 2*gp*gq
	for i := range t {
		t[i] = (d.hp[i]*gq+d.hq[i]*gp-d.ψ[i])*over + d.own[i]
	}
	t[at] += c.row[0] * gpq
	t[j] += c.row[1] * gpq
	t[k] += c.row[2] * gpq
}

// Inside reports whether s is in the interior of K and z in the interior of its dual,
// and the pair is central enough: with ν/⟨s̃, z̃⟩ at least share·μ, where s̃ and
// z̃ are the shadows −∇f*(z) and −∇f(s).
func (c *Asymmetric) Inside(s, z []float64, share, μ float64) bool {
	t := &c.tried
	return t.of(c.barrier, s, z) && share*μ*(num.Dot(t.grad[:], t.shadow[:])/t.ψ+c.logs(&t.z, &t.shadow)) <= 3
}

// Reach is a step up to most that keeps s and z inside: most, or one that is shorter than the
// longest by a tenth of it at most.
func (c *Asymmetric) Reach(s, z, ds, dz []float64, most float64) float64 {
	most = c.reach((*[3]float64)(s), (*[3]float64)(ds), false, most)
	return c.reach((*[3]float64)(z), (*[3]float64)(dz), true, most)
}

// Contains reports whether v is in the interior of K.
func (c *Asymmetric) Contains(v []float64) bool { return c.inside((*[3]float64)(v)) }

// triangle is a symmetric matrix of three rows.
type triangle struct{ a00, a10, a11, a20, a21, a22 float64 }

// factor is L·D·Lᵀ of a positive definite matrix, D as reciprocals; of any other one of them is no
// positive number.
type factor struct{ r0, r1, r2, l10, l20, l21 float64 }

func newFactor(a *triangle) (l factor) {
	l.r0 = 1 / a.a00
	l.l10, l.l20 = a.a10*l.r0, a.a20*l.r0
	l.r1 = 1 / (a.a11 - l.l10*a.a10)
	rest := a.a21 - l.l20*a.a10
	l.l21 = rest * l.r1
	l.r2 = 1 / (a.a22 - l.l20*a.a20 - l.l21*rest)
	return l
}

// solve is the solution for a right-hand side.
func (l *factor) solve(b0, b1, b2 float64) (x0, x1, x2 float64, ok bool) {
	if !(l.r0 > 0 && l.r1 > 0 && l.r2 > 0 && l.r0+l.r1+l.r2 <= math.MaxFloat64) {
		return 0, 0, 0, false
	}
	b1 -= l.l10 * b0
	b2 -= l.l20*b0 + l.l21*b1
	x2 = b2 * l.r2
	x1 = b1*l.r1 - l.l21*x2
	x0 = b0*l.r0 - l.l10*x1 - l.l20*x2
	return x0, x1, x2, true
}
