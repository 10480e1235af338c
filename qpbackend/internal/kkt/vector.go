package kkt

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/simd"
)

// vectors does vector operations, in wide registers where it is true.
type vectors bool

// scaled sets dst to α·x over the length of dst.
func scaled(dst []float64, α float64, x []float64) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = α * v
	}
}

// leastWide is the length from which a call of a wide kernel pays.
// Source: derived: one register of four entries.
const leastWide = 4

// axpy is dst += α·x over the length of dst.
func (w vectors) axpy(dst []float64, α float64, x []float64) {
	x = x[:len(dst)]
	if w && len(dst) >= leastWide {
		simd.Axpy(&dst[0], &x[0], α, len(dst))
		return
	}
	num.Axpy(dst, α, x)
}

// dot is Σ x·y over the length of x.
func (w vectors) dot(x, y []float64) float64 {
	y = y[:len(x)]
	if w && len(x) >= leastWide {
		return simd.Dot(&x[0], &y[0], len(x))
	}
	return num.Dot(x, y)
}

// dotAxpy is Σ v·x over the length of v; it adds α·v to dst.
func (w vectors) dotAxpy(v, x, dst []float64, α float64) float64 {
	x, dst = x[:len(v)], dst[:len(v)]
	if w && len(v) >= leastWide {
		return simd.DotAxpy(&v[0], &x[0], &dst[0], α, len(v))
	}
	if len(v) == 1 {
		dst[0] += α * v[0]
		return v[0] * x[0]
	}
	num.Axpy(dst, α, v)
	return num.Dot(v, x)
}

// mul sets dst to A·x for the rows of a, each as long as x, four at a time where that is wide.
func (w vectors) mul(dst, a, x []float64) {
	r, n := len(dst)&^3, len(x)
	if bool(w) && n >= leastWide && r > 0 {
		_ = a[r*n-1] // the kernel checks no bounds
		simd.MulPanel(&a[0], r/4, n, &x[0], &dst[0])
	} else {
		r = 0
	}
	for ; r < len(dst); r++ {
		dst[r] = w.dot(x, a[r*n:][:n])
	}
}

// subtractMulT takes Aᵀ·y from dst for the rows of a, each as long as dst, four at a time where
// that is wide.
func (w vectors) subtractMulT(dst, a, y []float64) {
	r, n := len(y)&^3, len(dst)
	if bool(w) && n >= leastWide && r > 0 {
		_ = a[r*n-1] // the kernel checks no bounds
		simd.SubtractMulPanelT(&a[0], r/4, n, &y[0], &dst[0])
	} else {
		r = 0
	}
	for ; r < len(y); r++ {
		w.axpy(dst, -y[r], a[r*n:][:n])
	}
}

// NormInf is num.NormInf, by a wide kernel where wide is true.
func NormInf(v []float64, wide bool) float64 {
	from := len(v) &^ 3
	if !wide || from == 0 {
		return num.NormInf(v)
	}
	top, number := simd.NormInf(&v[0], from)
	if !number {
		return math.NaN()
	}
	rest := num.NormInf(v[from:])
	if rest > top || rest != rest {
		return rest
	}
	return top
}
