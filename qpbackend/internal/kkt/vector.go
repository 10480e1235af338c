package kkt

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/simd"
)

// The vector operations of gonum, in assembler on some machines. They are called
// where they are and not through package blas64, which may have been given
// another implementation with threads of its own.

// longVector is the length from which a call pays.
// Source: a limit of speed; results depend on it by rounding alone.
const longVector = 12

// axpy is dst += α·x over the length of dst.
func axpy(dst []float64, α float64, x []float64) {
	x = x[:len(dst)]
	if len(dst) >= longVector {
		gonum.Implementation{}.Daxpy(len(dst), α, x, 1, dst, 1)
		return
	}
	for i, v := range x {
		dst[i] += α * v
	}
}

// dot is Σ x·y over the length of x.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	if len(x) >= longVector {
		return gonum.Implementation{}.Ddot(len(x), x, 1, y, 1)
	}
	s := 0.0
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

// product sets dst to A·x for the matrix in a, len(dst) × len(x) with rows ld
// apart.
func product(dst, a []float64, ld int, x []float64) {
	gonum.Implementation{}.Dgemv(blas.NoTrans, len(dst), len(x), 1, a, ld, x, 1, 0, dst, 1)
}

// subtractProduct takes Aᵀ·x from dst, for the matrix in a, rows × len(dst) with
// rows ld apart, and x with entries step apart.
func subtractProduct(dst, a []float64, rows, ld int, x []float64, step int) {
	gonum.Implementation{}.Dgemv(blas.Trans, rows, len(dst), -1, a, ld, x, step, 1, dst, 1)
}

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
	axpy(dst, α, x)
}

// dot is Σ x·y over the length of x.
func (w vectors) dot(x, y []float64) float64 {
	y = y[:len(x)]
	if w && len(x) >= leastWide {
		return simd.Dot(&x[0], &y[0], len(x))
	}
	return dot(x, y)
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
	axpy(dst, α, v)
	return dot(v, x)
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
