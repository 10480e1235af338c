//go:build lean

// Methods of ours in the place of LAPACK's, which takes a twentieth of a program that runs in a
// browser.

package dense

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/internal/matrix"
	"github.com/dcopt/dcopt/internal/num"
)

// EigenSym is the decomposition of a symmetric matrix into eigenvalues and eigenvectors, with the
// methods of gonum's that are used, by package matrix.
type EigenSym struct {
	λ []float64
	v *mat.Dense
}

// Factorize decomposes a. It returns false where that is not possible.
func (e *EigenSym) Factorize(a mat.Symmetric, vectors bool) bool {
	n := a.SymmetricDim()
	all := make([]float64, n*n)
	for i := range n {
		for j := range n {
			all[i*n+j] = a.At(i, j)
		}
	}
	λ, ok := matrix.Eigen(context.Background(), all, n)
	if ok {
		e.λ, e.v = λ, mat.NewDense(n, n, all)
	}
	return ok
}

// Values appends the eigenvalues, ascending, to dst, which is empty.
func (e *EigenSym) Values(dst []float64) []float64 { return append(dst, e.λ...) }

// VectorsTo sets dst to the eigenvectors as columns.
func (e *EigenSym) VectorsTo(dst *mat.Dense) { dst.CloneFrom(e.v) }

// SyevRoom is how much room Syev needs.
func SyevRoom(blas64.Symmetric, []float64) int { return 0 }

// Syev sets λ to the eigenvalues of m, upper triangle, without gaps between its rows, ascending,
// and m to the eigenvectors as columns. It returns false where that is not possible.
func Syev(_ bool, m blas64.Symmetric, λ, _ []float64) bool {
	n := m.N
	for i := range n {
		for j := range i {
			m.Data[i*n+j] = m.Data[j*n+i]
		}
	}
	own, ok := matrix.Eigen(context.Background(), m.Data, n)
	copy(λ, own)
	return ok
}

// reserve makes no room: jacobi needs none.
func (w *SVD) reserve() {}

// Decompose sets Values to the singular values of A, the largest first, and U and VT to the
// vectors. It destroys A, and returns false where it does not converge.
func (w *SVD) Decompose(bool) bool { return w.jacobi() }

// Solve returns the solution x of ax = b, for a, n × n, and b, n × m, row-major, which are not
// changed, and the condition number of a; x is nil where a is singular to rounding.
func Solve(ctx context.Context, n, m int, a, b []float64) (x []float64, cond float64, err error) {
	inverse, cond, err := Inverse(ctx, n, a)
	if inverse == nil {
		return nil, cond, err
	}
	x = make([]float64, n*m)
	for i := range n {
		for k, v := range inverse[i*n:][:n] {
			num.Axpy(x[i*m:][:m], v, b[k*m:])
		}
	}
	return x, cond, nil
}

// Invert overwrites RᵀR by its inverse, whose upper triangle it returns row by row, for an upper
// triangular R. ok is false where R is singular.
func Invert(r blas64.Triangular) (upper []float64, ok bool) {
	n, a := r.N, func(i, j int) *float64 { return &r.Data[i*r.Stride+j] }
	for j := n - 1; j >= 0; j-- { // column j of R⁻¹, which those to the left of it do not need
		if *a(j, j) == 0 {
			return r.Data, false
		}
		*a(j, j) = 1 / *a(j, j)
		for i := j - 1; i >= 0; i-- {
			sum := 0.0
			for k := i + 1; k <= j; k++ {
				sum += *a(i, k) * *a(k, j)
			}
			*a(i, j) = -sum / *a(i, i)
		}
	}
	for i := range n {
		for j := i; j < n; j++ {
			*a(i, j) = num.Dot(r.Data[i*r.Stride+j:][:n-j], r.Data[j*r.Stride+j:])
		}
	}
	return r.Data, true
}

// Triangular returns R of the QR factorisation of a, which has at least as many rows as columns
// and is overwritten: by Householder's reflections (Golub and Van Loan 2013, section 5.2.2).
func Triangular(a *mat.Dense) *mat.Dense {
	m, n := a.Dims()
	for k := range n {
		length := 0.0
		for i := k; i < m; i++ {
			length = math.Hypot(length, a.At(i, k))
		}
		if length == 0 {
			continue
		}
		// The reflection I − vvᵀ/(v₀·length), where v is the column with its signed length added to
		// the first entry.
		length = math.Copysign(length, a.At(k, k))
		a.Set(k, k, a.At(k, k)+length)
		for j := k + 1; j < n; j++ {
			sum := 0.0
			for i := k; i < m; i++ {
				sum += a.At(i, k) * a.At(i, j)
			}
			sum /= a.At(k, k) * length
			for i := k; i < m; i++ {
				a.Set(i, j, a.At(i, j)-sum*a.At(i, k))
			}
		}
		a.Set(k, k, -length)
		for i := k + 1; i < m; i++ {
			a.Set(i, k, 0)
		}
	}
	return a
}

// Inverse is the inverse of a, n × n in row-major order, which is not changed, and its condition
// number in the 1-norm; inverse is nil where a is singular to rounding. It is by Gauss-Jordan
// elimination with partial pivoting.
func Inverse(ctx context.Context, n int, a []float64) (inverse []float64, cond float64, err error) {
	left, right := append([]float64(nil), a...), make([]float64, n*n)
	for i := range n {
		right[i*n+i] = 1
	}
	for k := range n {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		p := k
		for i := k + 1; i < n; i++ {
			if math.Abs(left[i*n+k]) > math.Abs(left[p*n+k]) {
				p = i
			}
		}
		pivot := left[p*n+k]
		if pivot == 0 || math.IsNaN(pivot) {
			return nil, math.Inf(1), nil
		}
		for _, m := range [][]float64{left, right} {
			own, other := m[k*n:][:n], m[p*n:][:n]
			for j, v := range other {
				other[j], own[j] = own[j], v
			}
			for j := range own {
				own[j] /= pivot
			}
		}
		for i := range n {
			by := left[i*n+k]
			if i == k || by == 0 {
				continue
			}
			for j := range n {
				left[i*n+j] -= by * left[k*n+j]
				right[i*n+j] -= by * right[k*n+j]
			}
		}
	}
	if cond = norm1(n, a) * norm1(n, right); !(cond < 1/epsilon) {
		return nil, cond, nil
	}
	return right, cond, nil
}

// norm1 is the largest sum of sizes in a column.
func norm1(n int, a []float64) float64 {
	top := 0.0
	for j := range n {
		sum := 0.0
		for i := range n {
			sum += math.Abs(a[i*n+j])
		}
		top = math.Max(top, sum)
	}
	return top
}
