//go:build !lean

package dc

import (
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// reserve makes room for decompose.
func (w *svdWork) reserve() {
	var size [1]float64
	lapack64.Gesvd(lapack.SVDStore, lapack.SVDStore, w.a, w.u, w.vt, w.σ, size[:], -1)
	w.work = make([]float64, int(size[0]))
}

// decompose sets σ to the singular values of a, the largest first, and u and vt to the vectors
// if they are wanted. It destroys a, and returns false where it does not converge.
func (w *svdWork) decompose(vectors bool) bool {
	job := lapack.SVDNone
	if vectors {
		job = lapack.SVDStore
	}
	return lapack64.Gesvd(job, lapack.SVDStore, w.a, w.u, w.vt, w.σ, w.work, len(w.work))
}
