package cone

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/matrix"
	"github.com/dcopt/dcopt/internal/num"
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

// large is the order from which products in blocks and an eigenvalue decomposition take
// less time than loops and rotations.
// Source: measured on SDPLIB: at 20 they break even, at 100 they take a tenth.
const large = 20

// Len is n(n+1)/2.
func (c *Semidefinite) Len() int { return c.n * (c.n + 1) / 2 }

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

// unpack sets m to the matrix of the triangle v.
func (c *Semidefinite) unpack(m, v []float64) {
	at := 0
	for j := range c.n {
		for i, e := range v[at : at+j] {
			e *= math.Sqrt2 / 2
			m[i*c.n+j], m[j*c.n+i] = e, e
		}
		at += j
		m[j*c.n+j] = v[at]
		at++
	}
}

// pack sets, or adds to, the triangle v from the upper triangle of m.
func (c *Semidefinite) pack(v, m []float64, add bool) {
	at := 0
	for j := range c.n {
		for i := range j + 1 {
			e := m[i*c.n+j]
			if i < j {
				e *= math.Sqrt2
			}
			if add {
				e += v[at]
			}
			v[at] = e
			at++
		}
	}
}

// Margin is the least eigenvalue, from below.
func (c *Semidefinite) Margin(v []float64) float64 {
	if c.mul.Ends(len(v)) {
		return math.NaN()
	}
	c.unpack(c.t, v)
	return c.tri.Least(c.t, c.mul.Ends)
}

// Scale finds R by the Cholesky factors of S and Z and the singular values of
// their product.
func (c *Semidefinite) Scale(s, z []float64) bool {
	c.known = false
	n, ls, lz, m := c.n, c.a, c.b, c.x
	c.inv = false
	if c.mul.Ends(n * n * n) {
		return false
	}
	c.unpack(ls, s)
	c.unpack(lz, z)
	if n >= large {
		return c.scaleLarge()
	}
	if !num.Cholesky(ls, n) || !num.Cholesky(lz, n) {
		return false
	}
	// The rows of m and rt are the columns of LzᵀLs and Ls.
	for i := range n {
		row := m[i*n:][:n]
		clear(row)
		for p := i; p < n; p++ { // column i of Ls begins at row i
			l := ls[p*n+i]
			for k, e := range lz[p*n:][:p+1] {
				row[k] += l * e
			}
		}
		rt := c.rt[i*n:][:n]
		for p := range rt {
			rt[p] = 0
			if p >= i {
				rt[p] = ls[p*n+i]
			}
		}
	}
	orthogonalise(m, c.rt, c.λ, n)
	for i, λ := range c.λ {
		if !(λ > 0 && λ <= math.MaxFloat64) {
			return false
		}
		f := 1 / math.Sqrt(λ)
		num.Scale(c.rt[i*n:][:n], f)
		u, ri := m[i*n:][:n], c.ri[i*n:][:n]
		for p := range ri {
			ri[p] = f / λ * num.Dot(lz[p*n:][:p+1], u[:p+1])
		}
	}
	c.square()
	return true
}

// scaleLarge goes on where a and b hold S and Z: V with
// VᵀKᵀKV diagonal for K = LzᵀLs, from the eigenvalues of KᵀK, which near the central path
// are all near μ.
func (c *Semidefinite) scaleLarge() bool {
	n, lst, lzt := c.n, c.a, c.b
	if !c.mul.Cholesky(lst, n) || !c.mul.Cholesky(lzt, n) {
		return false
	}
	for i := range n {
		clear(lst[i*n : i*n+i])
		clear(lzt[i*n : i*n+i])
	}
	k, kt, v, ls, lz := c.x, c.t, c.q, c.rt, c.ri
	matrix.Transpose(ls, lst, n)
	matrix.Transpose(lz, lzt, n)
	c.mul.MulT(k, lz, ls, n, n)
	c.mul.MulTSymmetric(v, k, k, n, n)
	if c.mul.Ends(0) {
		return false
	}
	if _, ok := matrix.Eigen(c.ctx, v, n); !ok {
		return false
	}
	matrix.Transpose(kt, k, n)
	kv := c.qi
	c.mul.MulT(kv, kt, v, n, n) // columns λᵢuᵢ
	c.mul.MulT(c.rt, v, lst, n, n)
	c.mul.MulT(c.ri, kv, lzt, n, n)
	clear(c.λ)
	for i := range n {
		for j, e := range kv[i*n:][:n] {
			c.λ[j] += e * e
		}
	}
	for i := range c.λ {
		c.λ[i] = math.Sqrt(c.λ[i])
		λ := c.λ[i]
		if !(λ > 0 && λ <= math.MaxFloat64) {
			return false
		}
		f := 1 / math.Sqrt(λ)
		num.Scale(c.rt[i*n:][:n], f)
		num.Scale(c.ri[i*n:][:n], f/λ)
	}
	matrix.Transpose(c.r, c.rt, n)
	matrix.Transpose(c.it, c.ri, n)
	c.mul.MulTSymmetric(c.q, c.rt, c.rt, n, n)
	return !c.mul.Ends(0)
}

// Order is n.
func (c *Semidefinite) Order() int { return c.n }

// Inverse is Q⁻¹ of the last Scale, n × n, valid until the next.
func (c *Semidefinite) Inverse() []float64 {
	if !c.inv {
		c.inv = true
		n := c.n
		if n >= large {
			c.mul.MulTSymmetric(c.qi, c.ri, c.ri, n, n)
			return c.qi
		}
		clear(c.qi)
		for p := range n {
			r := c.ri[p*n:][:n]
			for i, e := range r {
				num.Axpy(c.qi[i*n:][:n], e, r)
			}
		}
	}
	return c.qi
}

// Root is Bᵀ, with BᵀB the inverse of Q of the last Scale, or Q itself; n × n, valid until the
// next.
func (c *Semidefinite) Root(inverse bool) []float64 {
	if n := c.n; n < large {
		if c.r == nil {
			c.r, c.it = make([]float64, n*n), make([]float64, n*n)
		}
		matrix.Transpose(c.r, c.rt, n)
		matrix.Transpose(c.it, c.ri, n)
	}
	if inverse {
		return c.it
	}
	return c.r
}

// Matrix is Q of the last Scale, n × n, valid until the next.
func (c *Semidefinite) Matrix() []float64 { return c.q }

// Apply sets dst to QXQ, as Mul, by way of RᵀXR: its rounding errors are then small in the scaling.
func (c *Semidefinite) Apply(dst, x []float64) {
	c.known = false
	c.unpack(c.x, x)
	c.sandwich(c.a, c.rt, c.r, c.x)
	c.congruence(c.rt, c.a)
	c.pack(dst, c.b, false)
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
func (c *Semidefinite) Div(dst, x []float64) {
	c.known = false
	c.unpack(c.x, x)
	c.sandwich(c.a, c.ri, c.it, c.x)
	c.congruence(c.ri, c.a)
	c.pack(dst, c.b, false)
}

// square sets Q to RRᵀ.
func (c *Semidefinite) square() {
	n := c.n
	clear(c.q)
	for p := range n {
		r := c.rt[p*n:][:n]
		for i, e := range r {
			num.Axpy(c.q[i*n:][:i+1], e, r)
		}
	}
	for i := range n {
		for j := range i {
			c.q[j*n+i] = c.q[i*n+j]
		}
	}
}

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
	c.unpack(c.a, x)
	c.sandwich(c.b, c.q, c.q, c.a)
	c.pack(dst, c.b, false)
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
	c.unpack(c.x, ds)
	c.sandwich(c.a, c.ri, c.it, c.x)
	c.unpack(c.x, dz)
	c.sandwich(c.b, c.rt, c.r, c.x)
}

// Absorb does nothing: the eigenvalues of Q would cost as much as the scaling.
func (c *Semidefinite) Absorb(ds, e []float64) {}

// Correct adds R·X·Rᵀ with ΛX + XΛ = 2σμI − AB − BA for the scaled directions.
func (c *Semidefinite) Correct(rc, ds, dz []float64, σμ float64) {
	c.second(ds, dz, σμ)
	c.congruence(c.rt, c.x)
	c.pack(rc, c.b, true)
}

// CorrectDual adds H⁻¹ times the addition of Correct to rz, R⁻ᵀ·X·R⁻¹.
func (c *Semidefinite) CorrectDual(rz, ds, dz []float64, σμ float64) {
	c.second(ds, dz, σμ)
	c.congruence(c.ri, c.x)
	c.pack(rz, c.b, true)
}

// second sets x to the X of Correct.
func (c *Semidefinite) second(ds, dz []float64, σμ float64) {
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
