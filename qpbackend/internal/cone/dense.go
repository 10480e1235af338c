package cone

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
)

// orthogonalise rotates the rows of m, n × n, until they are orthogonal, those
// of r with them, and sets norms to the norms of m's: the one-sided Jacobi
// method for singular values. Near the central path they are nearly orthogonal
// from the start.
func orthogonalise(m, r, norms []float64, n int) {
	for range maxSweeps {
		for i := range n {
			norms[i] = num.Dot(m[i*n:][:n], m[i*n:])
		}
		rotated := false
		for i := range n {
			for j := i + 1; j < n; j++ {
				x, y := m[i*n:][:n], m[j*n:][:n]
				xy := num.Dot(x, y)
				if !(math.Abs(xy) > orthogonal*math.Sqrt(norms[i])*math.Sqrt(norms[j])) {
					continue
				}
				rotated = true
				ζ := (norms[j] - norms[i]) / (2 * xy)
				t := math.Copysign(1/(math.Abs(ζ)+math.Hypot(1, ζ)), ζ)
				cos := 1 / math.Hypot(1, t)
				sin := cos * t
				rotate(x, y, cos, sin)
				rotate(r[i*n:][:n], r[j*n:][:n], cos, sin)
				norms[i] -= t * xy
				norms[j] += t * xy
			}
		}
		if !rotated {
			break
		}
	}
	for i := range n {
		norms[i] = num.Norm2(m[i*n:][:n])
	}
}

// Source: one-sided Jacobi converges quadratically, in 6 to 10 sweeps; a limit against
// data that are no numbers. orthogonal is a hundred unit roundoffs.
const (
	maxSweeps  = 30
	orthogonal = 1e-14 // cosine of rows that count as such
)

func rotate(x, y []float64, cos, sin float64) {
	y = y[:len(x)]
	for k, v := range x {
		w := y[k]
		x[k] = cos*v - sin*w
		y[k] = sin*v + cos*w
	}
}
