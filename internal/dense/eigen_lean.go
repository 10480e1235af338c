//go:build lean

package dense

import (
	"context"

	"github.com/dcopt/dcopt/internal/matrix"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// EigenSym is the decomposition of a symmetric matrix into eigenvalues and eigenvectors, with the
// methods of gonum's that are used, by package matrix: LAPACK's takes 1 % of a program that runs in
// a browser.
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

// SyevRoom is for builds without LAPACK: no room is needed.
func SyevRoom(blas64.Symmetric, []float64) int { return 0 }

// Syev is for builds without LAPACK: it uses package matrix. m has no gaps between its rows.
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
