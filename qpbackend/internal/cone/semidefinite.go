package cone

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/matrix"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend/internal/packed"
)

// Semidefinite is the cone of positive semidefinite matrices of order n, as
// their upper triangles column by column with off-diagonal entries times √2.
//
// With S = R·Λ·Rᵀ and Z = R⁻ᵀ·Λ·R⁻¹, Λ diagonal, the scaling is W: Z → RᵀZR and
// H: Z → QZQ, Q = RRᵀ.
type Semidefinite struct {
	n     int
	λ     []float64
	rt    []float64 // Rᵀ, n × n by rows, as all matrices here
	ri    []float64 // R⁻¹
	q     []float64
	r     []float64 // R, for the products of large matrices and Root,
	it    []float64 // R⁻ᵀ,
	qi    []float64 // and Q⁻¹
	inv   bool      // qi belongs to the last Scale
	mul   *matrix.Product
	a, b  []float64 // scaled directions,
	ds    []float64 // the values of these where known
	dz    []float64
	known bool
	x, t  []float64
	tri   *matrix.Tridiagonal
	ctx   context.Context // of the calls that follow
}

// NewSemidefinite makes the cone of matrices of order n ≥ 1.
func NewSemidefinite(n int) *Semidefinite {
	square := func() []float64 { return make([]float64, n*n) }
	c := &Semidefinite{
		n: n, λ: make([]float64, n), rt: square(), ri: square(), q: square(),
		a: square(), b: square(), x: square(), t: square(), tri: matrix.NewTridiagonal(n),
		qi: square(), mul: matrix.NewProduct(),
	}
	if n >= large {
		c.r, c.it = square(), square()
	}
	c.Within(context.Background())
	return c
}

// Within lets all methods end early once ctx has ended: their results are of no use then.
// Scale is false and Margin NaN.
func (c *Semidefinite) Within(ctx context.Context) {
	c.ctx = ctx
	c.mul.Within(ctx)
}

// Degree is n.
func (c *Semidefinite) Degree() float64 { return float64(c.n) }

// Unit is the identity.
func (c *Semidefinite) Unit(e []float64) {
	clear(e)
	for j, at := 0, 0; j < c.n; j++ {
		e[at] = 1
		at += j + 2
	}
}

// Margin is the least eigenvalue, from below.
func (c *Semidefinite) Margin(v []float64) float64 {
	if c.mul.Ends(len(v)) {
		return math.NaN()
	}
	packed.Unpack(c.t, v, c.n)
	return c.tri.Least(c.t, c.mul.Ends)
}

// Apply sets dst to QXQ, as Mul, by way of RᵀXR: its rounding errors are then small in the scaling.
func (c *Semidefinite) Apply(dst, x []float64) { c.through(dst, x, c.rt, c.r) }

// through sets dst to Fᵀ(FXFᵀ)F, given F and, where the order is large, Fᵀ.
func (c *Semidefinite) through(dst, x, f, ft []float64) {
	c.known = false
	packed.Unpack(c.x, x, c.n)
	c.sandwich(c.a, f, ft, c.x)
	c.congruence(f, c.a)
	packed.Pack(dst, c.b, c.n, false)
}

// congruence sets b to FᵀXF: RXRᵀ of Rᵀ, R⁻ᵀXR⁻¹ of R⁻¹.
func (c *Semidefinite) congruence(f, x []float64) {
	c.known = false
	n := c.n
	if n >= large {
		c.mul.Sandwich(c.b, f, x, c.t, n)
		return
	}
	clear(c.b)
	for i := range n {
		t := c.t[:n]
		clear(t)
		for p, e := range x[i*n:][:n] {
			num.Axpy(t, e, f[p*n:])
		}
		for p, e := range f[i*n:][:n] {
			num.Axpy(c.b[p*n:][:n], e, t)
		}
	}
}

// Div sets dst to Q⁻¹XQ⁻¹, the inverse of Mul, by way of R⁻¹XR⁻ᵀ: its rounding errors are then
// small in the scaling, and do not drown the small eigenvalues of Z.
func (c *Semidefinite) Div(dst, x []float64) { c.through(dst, x, c.ri, c.it) }

// Block sets h to the upper triangle of Q ⊗ Q on triangles, column by column.
func (c *Semidefinite) Block(h []float64) {
	n, at := c.n, 0
	for l := range n {
		ql := c.q[l*n:][:n]
		for k := range l + 1 {
			qk := c.q[k*n:][:n]
			// Entry (i, j): QᵢₖQⱼₗ + QᵢₗQⱼₖ, less by √2 for each diagonal one.
			f := 1.0
			if k == l {
				f = math.Sqrt2 / 2
			}
			for j := range l + 1 {
				top := j
				if j == l {
					top = min(k+1, j)
				}
				fl, fk := f*ql[j], f*qk[j]
				out, a, b := h[at:at+top], qk[:top], ql[:top]
				for i := range out {
					out[i] = a[i]*fl + b[i]*fk
				}
				at += top
				if j < l || k == l {
					h[at] = math.Sqrt2 * qk[j] * fl
					at++
				}
			}
		}
	}
}

// Mul sets dst to QXQ.
func (c *Semidefinite) Mul(dst, x []float64) {
	c.known = false
	packed.Unpack(c.a, x, c.n)
	c.sandwich(c.b, c.q, c.q, c.a)
	packed.Pack(dst, c.b, c.n, false)
}

// sandwich sets dst to AXAᵀ, X symmetric. at is Aᵀ, where the order is large.
func (c *Semidefinite) sandwich(dst, a, at, x []float64) {
	n := c.n
	if n >= large {
		c.mul.Sandwich(dst, at, x, c.t, n)
		return
	}
	for i := range n {
		t := c.t[:n]
		clear(t)
		for p, e := range a[i*n:][:n] {
			num.Axpy(t, e, x[p*n:])
		}
		for j := range i + 1 {
			e := num.Dot(t, a[j*n:])
			dst[i*n+j], dst[j*n+i] = e, e
		}
	}
}

// scaled sets a to R⁻¹·dS·R⁻ᵀ and b to Rᵀ·dZ·R, unless they are that.
func (c *Semidefinite) scaled(ds, dz []float64) {
	if c.known && slices.Equal(ds, c.ds) && slices.Equal(dz, c.dz) {
		return
	}
	c.ds, c.dz, c.known = append(c.ds[:0], ds...), append(c.dz[:0], dz...), true
	packed.Unpack(c.x, ds, c.n)
	c.sandwich(c.a, c.ri, c.it, c.x)
	packed.Unpack(c.x, dz, c.n)
	c.sandwich(c.b, c.rt, c.r, c.x)
}

// Absorb does nothing: the eigenvalues of Q would cost as much as the scaling.
func (c *Semidefinite) Absorb(ds, e []float64) {}

// Correct adds R·X·Rᵀ with ΛX + XΛ = 2σμI − AB − BA for the scaled directions.
func (c *Semidefinite) Correct(rc, ds, dz []float64, σμ float64) {
	c.second(rc, ds, dz, σμ, c.rt)
}

// CorrectDual adds H⁻¹ times the addition of Correct to rz, R⁻ᵀ·X·R⁻¹.
func (c *Semidefinite) CorrectDual(rz, ds, dz []float64, σμ float64) {
	c.second(rz, ds, dz, σμ, c.ri)
}

// second adds FᵀXF to rc, with the X of Correct.
func (c *Semidefinite) second(rc, ds, dz []float64, σμ float64, f []float64) {
	n := c.n
	c.scaled(ds, dz)
	if n >= large {
		c.mul.MulT(c.t, c.a, c.b, n, n)
	}
	for i := range n {
		for j := range i + 1 {
			e := 0.0
			if n >= large {
				e = -c.t[i*n+j] - c.t[j*n+i]
			} else {
				e = -num.Dot(c.a[i*n:][:n], c.b[j*n:]) - num.Dot(c.b[i*n:][:n], c.a[j*n:])
			}
			if i == j {
				e += 2 * σμ
			}
			e /= c.λ[i] + c.λ[j]
			c.x[i*n+j], c.x[j*n+i] = e, e
		}
	}
	c.congruence(f, c.x)
	packed.Pack(rc, c.b, n, true)
}

// Reach are the steps to the boundary, or more than one.
func (c *Semidefinite) Reach(ds, dz []float64) (αp, αd float64) {
	c.scaled(ds, dz)
	return c.reach(c.a), c.reach(c.b)
}

// farther is a share of a step, of which no less than this is taken at the boundary.
// Source: derived: beyond 1/farther every share of a step that ipm takes is more than one.
const farther = 0.9

// reach is the largest α with Λ + αD semidefinite, or +Inf where it is more than one.
func (c *Semidefinite) reach(d []float64) float64 {
	n, t := c.n, c.t
	for i, λi := range c.λ {
		for j, λj := range c.λ {
			t[i*n+j] = d[i*n+j] / (math.Sqrt(λi) * math.Sqrt(λj))
		}
	}
	least := c.tri.LeastBelow(t, -farther, c.mul.Ends)
	if least >= 0 {
		return math.Inf(1)
	} else if least != least {
		return 0
	}
	return -1 / least
}
