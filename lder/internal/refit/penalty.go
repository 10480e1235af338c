package refit

import "github.com/dcopt/dcopt/internal/num"

// Penalty are the ridge weights of l-DERs f = max_l ⟨w_l, x⟩ − max_j ⟨v_j, x⟩:
// a common linear part b has weight Linear, and the deviations w_l − b and v_j
// have weight Pieces. b is eliminated, and v_1 = 0 fixes the function that can be added to
// both maxima. Constant terms have next to no weight in common, and a tenth of
// Pieces each. Group is the strength λ of a penalty on the slopes of each feature in
// all pieces together, which makes them 0 where they are of no use: see group.go.
type Penalty struct {
	Linear, Pieces, Group float64
}

// penalty is θᵀQθ, for the slopes and the constants: symmetric k×k matrices
// over the blocks w_1 … w_r1, v_2 … v_r2.
type penalty struct {
	k               int
	slope, constant []float64
	r1, r2          int // arguments of the last set
	λ               Penalty
}

func (p *penalty) set(r1, r2 int, λ Penalty) {
	// Source: derived: the square root of the unit roundoff.
	const floor = 1e-8 // keeps the inverses finite
	if p.k > 0 && p.r1 == r1 && p.r2 == r2 && p.λ == λ {
		return
	}
	p.k, p.r1, p.r2, p.λ = r1+r2-1, r1, r2, λ
	p.slope = resize(p.slope, p.k*p.k)
	p.constant = resize(p.constant, p.k*p.k)
	precision(p.slope, r1, r2, λ.Linear+floor, λ.Pieces+floor)
	precision(p.constant, r1, r2, floor, .1*λ.Pieces+floor)
}

// precision fills q with the inverse of the covariance of the blocks
//
//	(w_l, w_l'): 1/a + 1/b + [l=l']/b,  (v_j, v_j'): 1/b + [j=j']/b,  (w, v): 1/b.
func precision(q []float64, r1, r2 int, a, b float64) {
	k := r1 + r2 - 1
	c := make([]float64, k*k)
	for i := range k {
		for j := range k {
			v := 1 / b
			if i < r1 && j < r1 {
				v += 1 / a
			}
			if i == j {
				v += 1 / b
			}
			c[i*k+j] = v
		}
	}
	num.Cholesky(c, k)
	e := make([]float64, k)
	for j := range k {
		for i := range e {
			e[i] = 0
		}
		e[j] = 1
		solveCholesky(c, k, e)
		for i, v := range e {
			q[i*k+j] = v
		}
	}
	for i := range k { // symmetric to the last bit
		for j := range i {
			q[i*k+j] = (q[i*k+j] + q[j*k+i]) / 2
			q[j*k+i] = q[i*k+j]
		}
	}
}

// value is θᵀQθ for blocks of n coefficients, the last the constant.
func (p *penalty) value(θ []float64, n int) float64 {
	sum := 0.0
	for i := range p.k {
		a := θ[i*n : (i+1)*n]
		for j := range i + 1 {
			b := θ[j*n : (j+1)*n]
			s := p.slope[i*p.k+j]*num.Dot(a[:n-1], b[:n-1]) + p.constant[i*p.k+j]*a[n-1]*b[n-1]
			if i != j {
				s *= 2
			}
			sum += s
		}
	}
	return sum
}

// solveCholesky overwrites b with the solution of LLᵀx = b.
func solveCholesky(l []float64, k int, b []float64) {
	for i := range k {
		b[i] = (b[i] - num.Dot(l[i*k:i*k+i], b[:i])) / l[i*k+i]
	}
	for i := k - 1; i >= 0; i-- {
		x := b[i] / l[i*k+i]
		b[i] = x
		for j, v := range l[i*k : i*k+i] {
			b[j] -= x * v
		}
	}
}

// resize returns a slice of length n, reusing the memory of s. Its content is
// not defined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
