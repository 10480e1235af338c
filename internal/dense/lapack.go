//go:build !lean

package dense

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// EigenSym is the decomposition of a symmetric matrix into eigenvalues and eigenvectors.
type EigenSym = mat.EigenSym

// SyevRoom is how much room Syev needs for m.
func SyevRoom(m blas64.Symmetric, λ []float64) int {
	var size [1]float64
	lapack64.Syev(lapack.EVCompute, m, λ, size[:], -1)
	return int(size[0])
}

// Syev sets λ to the eigenvalues of m, upper triangle, row-major, ascending, and m to the
// eigenvectors as columns, if they are wanted. It returns false where that is not possible.
func Syev(vectors bool, m blas64.Symmetric, λ, work []float64) bool {
	job := lapack.EVNone
	if vectors {
		job = lapack.EVCompute
	}
	return lapack64.Syev(job, m, λ, work, len(work))
}

// reserve makes room for Decompose.
func (w *SVD) reserve() {
	var size [1]float64
	lapack64.Gesvd(lapack.SVDStore, lapack.SVDStore, w.A, w.U, w.VT, w.Values, size[:], -1)
	w.work = make([]float64, int(size[0]))
}

// Decompose sets Values to the singular values of A, the largest first, and U and VT to the vectors
// if they are wanted. It destroys A, and returns false where it does not converge.
func (w *SVD) Decompose(vectors bool) bool {
	job := lapack.SVDNone
	if vectors {
		job = lapack.SVDStore
	}
	return lapack64.Gesvd(job, lapack.SVDStore, w.A, w.U, w.VT, w.Values, w.work, len(w.work))
}

// Solve returns the solution x of ax = b, for a, n × n, and b, n × m, row-major, which are not
// changed, and the estimate of the condition number of a; x is nil where a is singular to rounding.
// The work consists of calls of gonum, as in Eigen.
func Solve(ctx context.Context, n, m int, a, b []float64) (x []float64, cond float64, err error) {
	type result struct {
		x    []float64
		cond float64
		err  error // of ctx
	}
	r, err := Await(ctx, func() (r result) {
		var lu mat.LU
		lu.Factorize(mat.NewDense(n, n, a))
		if r.cond, r.err = lu.Cond(), ctx.Err(); !(r.cond < 1/epsilon) || r.err != nil {
			return r
		}
		out := mat.NewDense(n, m, nil)
		if lu.SolveTo(out, false, mat.NewDense(n, m, b)) == nil {
			r.x = out.RawMatrix().Data
		}
		return r
	})
	if err == nil {
		err = r.err
	}
	return r.x, r.cond, err
}

// Invert overwrites RᵀR by its inverse, whose upper triangle it returns row by row, for an upper
// triangular R. ok is false where R is singular.
func Invert(r blas64.Triangular) (upper []float64, ok bool) {
	inverse, ok := lapack64.Potri(r)
	return inverse.Data, ok
}

// Inverse is the inverse of a, n × n in row-major order, which is not changed, and the
// estimate of its condition number; inverse is nil where a is singular to rounding.
func Inverse(ctx context.Context, n int, a []float64) (inverse []float64, cond float64, err error) {
	one := make([]float64, n*n)
	for i := range n {
		one[i*n+i] = 1
	}
	return Solve(ctx, n, n, a, one)
}

// Triangular returns R of the QR factorisation of a, which has at least as many rows as columns.
func Triangular(a *mat.Dense) *mat.Dense {
	var qr mat.QR
	var r mat.Dense
	qr.Factorize(a)
	qr.RTo(&r)
	return &r
}
