package simd_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/need"
	"github.com/dcopt/dcopt/internal/simd"
)

// BenchmarkVectors compares the kernels for vectors and panels with gonum's loops,
// which they have to beat to stay.
func BenchmarkVectors(b *testing.B) {
	need.That(b, cpu.Wide(), need.AVX2)
	var peer gonum.Implementation
	for _, size := range [][2]int{{4, 8}, {8, 16}, {16, 64}, {64, 64}, {64, 300}} {
		rows, n := size[0], size[1]
		a, x, y, z := make([]float64, rows*n), make([]float64, n), make([]float64, n), make([]float64, rows)
		for i := range x {
			x[i], y[i] = float64(i), 1
		}
		sum := 0.0
		for _, c := range []struct {
			name        string
			own, gonums func()
		}{
			{"axpy", func() { simd.Axpy(&y[0], &x[0], 1e-9, n) }, func() { peer.Daxpy(n, 1e-9, x, 1, y, 1) }},
			{"dot", func() { sum += simd.Dot(&x[0], &y[0], n) }, func() { sum += peer.Ddot(n, x, 1, y, 1) }},
			{"mul", func() { simd.MulPanel(&a[0], rows/4, n, &x[0], &z[0]) }, func() { peer.Dgemv(blas.NoTrans, rows, n, 1, a, n, x, 1, 0, z, 1) }},
			{"mulT", func() { simd.SubtractMulPanelT(&a[0], rows/4, n, &z[0], &y[0]) }, func() { peer.Dgemv(blas.Trans, rows, n, -1, a, n, z, 1, 1, y, 1) }},
		} {
			for name, f := range map[string]func(){"simd": c.own, "gonum": c.gonums} {
				b.Run(fmt.Sprintf("%s/%dx%d/%s", c.name, rows, n, name), func(b *testing.B) {
					for b.Loop() {
						f()
					}
				})
			}
		}
	}
}
