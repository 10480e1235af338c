package dc

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// largeForm is the order from which on a quadratic form is split by a shift and
// not by all eigenvalues: these cost 9n³ operations, a shift some 100n².
const largeForm = 600

// extremes are bounds of the eigenvalues of q by Lanczos's method with full
// reorthogonalisation: the extreme Ritz values, moved outward by the norm of
// their residuals. Golub and Van Loan 2013, section 10.1.
func extremes(q mat.Symmetric) (lo, hi float64) {
	n := q.SymmetricDim()
	var m blas64.Symmetric
	if s, ok := q.(mat.RawSymmetricer); ok {
		m = s.RawSymmetric()
	} else {
		c := mat.NewSymDense(n, nil)
		c.CopySym(q)
		m = c.RawSymmetric()
	}
	rng := rand.New(rand.NewPCG(1, 1)) // any start that is not orthogonal to an eigenvector
	v := vector(n)
	for k := range v.Data {
		v.Data[k] = rng.NormFloat64()
	}
	blas64.Scal(1/blas64.Nrm2(v), v)
	basis := []blas64.Vector{v}
	var α, β []float64
	for {
		w := vector(n)
		blas64.Symv(1, m, basis[len(basis)-1], 0, w)
		α = append(α, blas64.Dot(w, basis[len(basis)-1]))
		for range 2 { // twice is enough: Parlett 1998, section 6.9
			for _, u := range basis {
				blas64.Axpy(-blas64.Dot(w, u), u, w)
			}
		}
		norm := blas64.Nrm2(w)
		θ, last := ritz(α, β)
		lo, hi = θ[0]-norm*math.Abs(last[0]), θ[len(θ)-1]+norm*math.Abs(last[1])
		spread := θ[len(θ)-1] - θ[0]
		if len(α) == n || !(norm > unit*spread) || len(α) >= fewestSteps && lo > θ[0]-closeRitz*spread && hi < θ[len(θ)-1]+closeRitz*spread || len(α) == mostSteps {
			return lo, hi
		}
		β = append(β, norm)
		blas64.Scal(1/norm, w)
		basis = append(basis, w)
	}
}

// The extreme eigenvalues of random matrices are found to closeRitz of the
// spread in 30 to 60 steps; more of them would make the shift less than a
// thousandth smaller.
const (
	closeRitz   = 1e-3
	fewestSteps = 10
	mostSteps   = 300
)

func vector(n int) blas64.Vector { return blas64.Vector{N: n, Inc: 1, Data: make([]float64, n)} }

// ritz are the eigenvalues of the tridiagonal matrix, ascending, and the last
// components of the eigenvectors of the first and the last of them.
func ritz(α, β []float64) (θ []float64, last [2]float64) {
	n := len(α)
	t := mat.NewSymDense(n, nil)
	for k, a := range α {
		t.SetSym(k, k, a)
		if k < len(β) && k+1 < n {
			t.SetSym(k, k+1, β[k])
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(t, true) {
		return []float64{math.Inf(-1), math.Inf(1)}, last
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	θ = eig.Values(nil)
	return θ, [2]float64{v.At(n-1, 0), v.At(n-1, n-1)}
}

// largeQuad is aᵀQa for a large Q: convex or concave if a Cholesky factorisation
// says so, else (Q + σI) − σI, or σI − (σI − Q) where that σ is smaller.
func largeQuad(a Affine, q mat.Symmetric) Expr {
	lo, hi := extremes(q)
	if math.IsNaN(lo) || math.IsNaN(hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return badExpr("quad: the matrix holds a number that is not finite, or is too large")
	}
	tol := definiteTol * float64(q.SymmetricDim()) * max(math.Abs(lo), math.Abs(hi))
	var neg mat.SymDense
	switch {
	case lo >= -closeRitz*(hi-lo) && factors(q, tol):
		return newQuad(a, q)
	case hi <= closeRitz*(hi-lo):
		neg.ScaleSym(-1, q)
		if factors(&neg, tol) {
			return newQuad(a, &neg).Neg()
		}
	}
	lo, hi = min(lo, 0), max(hi, 0)
	shift, sign := -lo, 1.0
	if hi < -lo {
		neg.ScaleSym(-1, q)
		shift, sign = hi, -1
		q = &neg
	}
	moved := mat.NewSymDense(q.SymmetricDim(), nil)
	moved.CopySym(q)
	for i := range q.SymmetricDim() {
		moved.SetSym(i, i, moved.At(i, i)+shift)
	}
	s := addSplits([]split{*newQuad(a, moved).split(), squares(a)}, 1, -shift)
	return node(&quadForm{newParted(s), quadOf(a, q)}, a.of).Scale(sign)
}

// factors reports whether Q + tol·I has a Cholesky factorisation.
func factors(q mat.Symmetric, tol float64) bool {
	n := q.SymmetricDim()
	m := mat.NewSymDense(n, nil)
	m.CopySym(q)
	for i := range n {
		m.SetSym(i, i, m.At(i, i)+tol)
	}
	var chol mat.Cholesky
	return chol.Factorize(m)
}
