package rule

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/internal/expr"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// LargeForm is the order from which on a quadratic form is split by a shift and
// not by all eigenvalues: these cost 9n³ operations, a shift some 100n².
// Source: a limit of time: 2e9 operations, a second.
const LargeForm = 600

// Extremes are bounds of the eigenvalues of q by Lanczos's method with full
// reorthogonalisation, Golub and Van Loan 2013, section 10.1: the extreme Ritz
// values, moved outward by closeRitz of the spread. That a Ritz value has a small
// residual proves an eigenvalue near it, not that there is none beyond: extreme
// eigenvalues that lie close together are found late. After as many steps as are done here,
// a random start fails with a probability below missed, whatever q is.
func Extremes(ctx context.Context, q mat.Symmetric) (lo, hi float64, err error) {
	n := q.SymmetricDim()
	var m blas64.Symmetric
	if s, ok := q.(mat.RawSymmetricer); ok {
		m = s.RawSymmetric()
	} else {
		c := mat.NewSymDense(n, nil)
		c.CopySym(q)
		m = c.RawSymmetric()
	}
	rng := rand.New(rand.NewPCG(1, 1))
	v := vector(n)
	for k := range v.Data {
		v.Data[k] = rng.NormFloat64()
	}
	blas64.Scal(1/blas64.Nrm2(v), v)
	basis := []blas64.Vector{v}
	var α, β []float64
	scale := 0.0
	for steps := min(n, lanczosSteps(n)); ; {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		w := vector(n)
		blas64.Symv(1, m, basis[len(basis)-1], 0, w)
		α = append(α, blas64.Dot(w, basis[len(basis)-1]))
		for range 2 { // twice is enough: Parlett 1998, section 6.9
			for _, u := range basis {
				blas64.Axpy(-blas64.Dot(w, u), u, w)
			}
		}
		norm := blas64.Nrm2(w)
		scale = max(scale, math.Abs(α[len(α)-1])+norm)
		if invariant := !(norm > convex.Roundoff*scale); invariant || len(α) == steps {
			θ := ritz(α, β)
			first, last := θ[0], θ[len(θ)-1]
			room := CloseRitz / (1 - 2*CloseRitz) * (last - first)
			if invariant || len(α) == n {
				room = norm
			}
			return first - room, last + room, nil
		}
		β = append(β, norm)
		blas64.Scal(1/norm, w)
		basis = append(basis, w)
	}
}

// lanczosSteps is the number of steps from which on an extreme Ritz value of a matrix of
// order n is off by more than closeRitz of the spread with a probability below missed.
// Kuczyński and Woźniakowski 1992, theorem 4.2 (b).
func lanczosSteps(n int) int {
	return int(math.Ceil((math.Log(1.648*math.Sqrt(float64(n))/missed)/math.Sqrt(CloseRitz) + 1) / 2))
}

// A shift that is 1 % larger than it has to be costs next to nothing, and fewer
// steps: 127 for an order of 3000, where 0.1 % takes 400.
// Source: derived by lanczosSteps; missed is the probability that the bound is none.
const (
	CloseRitz = 1e-2
	missed    = 1e-9
)

// ritz are the eigenvalues of the tridiagonal matrix, ascending.
func ritz(α, β []float64) []float64 {
	t := mat.NewSymDense(len(α), nil)
	for k, a := range α {
		t.SetSym(k, k, a)
		if k < len(β) {
			t.SetSym(k, k+1, β[k])
		}
	}
	var eig dense.EigenSym
	if !eig.Factorize(t, false) {
		return []float64{math.Inf(-1), math.Inf(1)}
	}
	return eig.Values(nil)
}

// splitQuad is aᵀQa with an indefinite Q.
func splitQuad(a convex.Array, q mat.Symmetric, s expr.Split) expr.Scalar {
	return expr.AsWritten(indefinite, dataOf(q), s, expr.Array{Array: a})
}

// largeQuad is aᵀQa for a large Q: convex or concave if a Cholesky factorisation
// says so, else (Q + σI) − σI, or σI − (σI − Q) where that σ is smaller.
func largeQuad(ctx context.Context, a convex.Array, q mat.Symmetric) expr.Scalar {
	lo, hi, err := Extremes(ctx, q)
	if err != nil {
		return expr.Scalar{Err: err}
	}
	if math.IsNaN(lo) || math.IsNaN(hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return expr.Failed("quad: the matrix holds a number that is not finite, or is too large")
	}
	tol := expr.DefiniteTol * float64(q.SymmetricDim()) * max(math.Abs(lo), math.Abs(hi))
	for _, sign := range []float64{1, -1} {
		if least := min(sign*lo, sign*hi); least < -CloseRitz*(hi-lo) {
			continue
		}
		definite, err := factors(ctx, q, sign, tol)
		if err != nil {
			return expr.Scalar{Err: err}
		}
		if definite {
			return newQuad(a, timesSign(q, sign)).Scale(sign)
		}
	}
	lo, hi = min(lo, 0), max(hi, 0)
	shift, sign := -lo, 1.0
	if hi < -lo {
		shift, sign = hi, -1
	}
	q = timesSign(q, sign)
	moved := mat.NewSymDense(q.SymmetricDim(), nil)
	moved.CopySym(q)
	for i := range q.SymmetricDim() {
		moved.SetSym(i, i, moved.At(i, i)+shift)
	}
	s := expr.AddSplits([]expr.Split{*newQuad(a, moved).Split(), expr.Squares(a)}, 1, -shift)
	return splitQuad(a, q, s).Scale(sign)
}

// timesSign is ±q.
func timesSign(q mat.Symmetric, sign float64) mat.Symmetric {
	if sign == 1 {
		return q
	}
	var neg mat.SymDense
	neg.ScaleSym(sign, q)
	return &neg
}

// factors reports whether sign·Q + tol·I has a Cholesky factorisation.
func factors(ctx context.Context, q mat.Symmetric, sign, tol float64) (bool, error) {
	m := mat.NewSymDense(q.SymmetricDim(), nil)
	m.CopySym(timesSign(q, sign))
	for i := range q.SymmetricDim() {
		m.SetSym(i, i, m.At(i, i)+tol)
	}
	return dense.Cholesky(ctx, m.RawSymmetric())
}
