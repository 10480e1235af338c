package dense

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// block is the number of rows that are factored at a time, columns the number of columns that are
// updated between two looks at the context. Source: derived: 2·block·columns·n operations, some 50
// ms for n = 3000.
const (
	block   = 64
	columns = 512
)

// Cholesky overwrites a, n × n with its upper triangle in row-major order, by the upper
// triangular R with RᵀR = a. ok is false where a is not positive definite; the error is
// ctx.Err().
func Cholesky(ctx context.Context, a blas64.Symmetric) (ok bool, err error) {
	n := a.N
	part := func(i, j, rows, cols int) blas64.General {
		return blas64.General{Rows: rows, Cols: cols, Stride: a.Stride, Data: a.Data[i*a.Stride+j:]}
	}
	for i := 0; i < n; i += block {
		rows := min(block, n-i)
		for j := i; j < n; j += columns {
			if err := ctx.Err(); err != nil {
				return false, err
			}
			cols := min(columns, n-j)
			if i > 0 {
				blas64.Gemm(blas.Trans, blas.NoTrans, -1, part(0, i, i, rows), part(0, j, i, cols), 1,
					part(i, j, rows, cols))
			}
			if j == i {
				if !(lapack.Implementation{}).Dpotf2(blas.Upper, rows, a.Data[i*a.Stride+i:], a.Stride) {
					return false, nil
				}
			}
			from := max(j, i+rows)
			if rest := j + cols - from; rest > 0 {
				r := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: rows, Stride: a.Stride,
					Data: a.Data[i*a.Stride+i:]}
				blas64.Trsm(blas.Left, blas.Trans, 1, r, part(i, from, rows, rest))
			}
		}
	}
	return true, nil
}

// Eigen are the eigenvalues of q, ascending, and the eigenvectors as columns. The work is
// one call of gonum; where ctx ends before, that goes on with a copy of q and is
// of no consequence. ok is false where the eigenvalues cannot be computed.
func Eigen(ctx context.Context, q mat.Symmetric) (λ []float64, v *mat.Dense, ok bool, err error) {
	own := mat.NewSymDense(q.SymmetricDim(), nil)
	own.CopySym(q)
	eig, err := Await(ctx, func() *EigenSym {
		var eig EigenSym
		if !eig.Factorize(own, true) {
			return nil
		}
		return &eig
	})
	if eig == nil {
		return nil, nil, false, err
	}
	v = &mat.Dense{}
	eig.VectorsTo(v)
	return eig.Values(nil), v, true, nil
}

// epsilon is the distance from 1 to the next float64: the inverse of a matrix with a
// larger condition number than 1/epsilon has no correct digit.
// Source: IEEE 754.
const epsilon = 0x1p-52

// Root is an upper triangular or square R with RᵀR = q for a positive semidefinite q: by
// Cholesky's factorisation of q + ε·trace(q)/n·I where that succeeds, else by the
// eigenvalues, of which negative ones count as zero.
func Root(ctx context.Context, q mat.Symmetric, ε float64) (r *mat.Dense, ok bool, err error) {
	n := q.SymmetricDim()
	own := mat.NewSymDense(n, nil)
	own.CopySym(q)
	raw := own.RawSymmetric()
	trace := 0.0
	for i := range n {
		trace += q.At(i, i)
	}
	for i := range n {
		raw.Data[i*raw.Stride+i] += ε * trace / float64(n)
	}
	done, err := Cholesky(ctx, raw)
	if err != nil {
		return nil, false, err
	}
	r = mat.NewDense(n, n, nil)
	if done {
		for i := range n {
			for j := i; j < n; j++ {
				r.Set(i, j, raw.Data[i*raw.Stride+j])
			}
		}
		return r, true, nil
	}
	λ, v, ok, err := Eigen(ctx, q)
	if !ok {
		return nil, false, err
	}
	for k := range n {
		s := math.Sqrt(max(λ[k], 0))
		for i := range n {
			r.Set(k, i, s*v.At(i, k))
		}
	}
	return r, true, nil
}
