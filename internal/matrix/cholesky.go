package matrix

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
)

// Cholesky overwrites the upper triangle of a, n × n, by R with RᵀR = a. It returns false
// where a is not positive definite, or the context has ended. The lower triangle is
// not kept.
func (f *Product) Cholesky(a []float64, n int) bool {
	for from := 0; from < n; from += tileRows {
		to := min(from+tileRows, n)
		for k := from; k < to; k++ {
			row := a[k*n:][:n]
			for i := from; i < k; i++ {
				num.Axpy(row[k:], -a[i*n+k], a[i*n+k:])
			}
			if !(row[k] > 0 && num.Finite(row[k])) {
				return false
			}
			num.Scale(row[k:], 1/math.Sqrt(row[k]))
		}
		if f.Ends((to - from) * (to - from) * (n - from)) {
			return false
		}
		if to < n {
			f.Subtract(a[to*n+to:], n, a[from*n+to:], a[from*n+to:], to-from, n-to, n-to, n, n, true)
		}
	}
	return !f.Ends(0)
}
