//go:build !lean

package dense

import (
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
