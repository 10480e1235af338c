//go:build lean

package dc

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// inverse is the inverse of the factored matrix, row by row: the engine of the playground has no
// other solution with a triangle than that for columns.
func (w *symWork) inverse() (all []float64, ok bool) {
	n := w.t.N
	all = make([]float64, n*n)
	for i := range n {
		all[i*n+i] = 1
	}
	lapack64.Potrs(w.t, blas64.General{Rows: n, Cols: n, Stride: n, Data: all})
	return all, true
}
