//go:build !lean

package dc

import "gonum.org/v1/gonum/lapack/lapack64"

// inverse leaves the inverse of the factored matrix in t, its upper triangle row by row.
func (w *symWork) inverse() (upper []float64, ok bool) {
	inverse, ok := lapack64.Potri(w.t)
	return inverse.Data, ok
}
