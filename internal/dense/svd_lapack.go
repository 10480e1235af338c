//go:build !lean

package dense

import (
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// reserve makes room for decompose.
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
