package cone

import "math"

func dot(x, y []float64) float64 {
	y = y[:len(x)]
	s := 0.0
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

// norm is ‖v‖₂. Entries are of moderate size here: problems are equilibrated.
func norm(v []float64) float64 { return math.Sqrt(dot(v, v)) }

// axpy is dst += α·x over the length of dst.
func axpy(dst []float64, α float64, x []float64) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] += α * v
	}
}

func scale(v []float64, α float64) {
	for i := range v {
		v[i] *= α
	}
}
