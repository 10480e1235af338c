package cone

import (
	"math"

	"github.com/dcopt/dcopt/internal/matrix"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend/internal/packed"
)

// large is the order from which products in blocks and an eigenvalue decomposition take
// less time than loops and rotations.
// Source: measured on SDPLIB: at 20 they break even, at 100 they take a tenth.
const large = 20

// Scale finds R by the Cholesky factors of S and Z and the singular values of
// their product.
func (c *Semidefinite) Scale(s, z []float64) bool {
	c.known = false
	n, ls, lz, m := c.n, c.a, c.b, c.x
	c.inv = false
	if c.mul.Ends(n * n * n) {
		return false
	}
	packed.Unpack(ls, s, c.n)
	packed.Unpack(lz, z, c.n)
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
