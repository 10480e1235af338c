package simd_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/need"
	"github.com/dcopt/dcopt/internal/simd"
)

// Tiles of both kinds have the same bits for all shapes: those of sums by fused multiplications in
// the order of the rows of y. They use and write nothing else.
func TestTilesRoundAlike(t *testing.T) {
	need.That(t, cpu.Wide(), need.AVX2)
	kinds := []simd.Tiles{simd.TilesOf(false)}
	if need.Have(t, cpu.Wider(), need.AVX512) {
		kinds = append(kinds, simd.TilesOf(true))
	}
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	for _, tiles := range kinds {
		for height := 1; height <= tiles.High; height++ {
			for cols := 1; cols <= tiles.Wide; cols++ {
				for _, k := range []int{1, 2, 5, 64} {
					ldc, ldy := cols+rng.IntN(3), tiles.Wide+rng.IntN(3)
					rowx, stepx := 1, height+rng.IntN(3)
					if k%2 == 0 {
						rowx, stepx = k+rng.IntN(3), 1
					}
					x, y := draw((height-1)*rowx+(k-1)*stepx+1), draw(k*ldy)
					c := draw((height-1)*ldc + cols + 3)
					want := append([]float64(nil), c...)
					for i := range height {
						for j := range cols {
							sum := 0.0
							for l := range k {
								sum = math.FMA(x[i*rowx+l*stepx], y[l*ldy+j], sum)
							}
							want[i*ldc+j] -= sum
						}
					}
					tiles.Subtract(&c[0], &x[0], &y[0], ldc, rowx, stepx, ldy, k, height, cols)
					for i, w := range want {
						if math.Float64bits(c[i]) != math.Float64bits(w) {
							t.Fatalf("%d × %d of tiles %v, k = %d: entry %d is %g, want %g", height, cols, tiles, k, i, c[i], w)
						}
					}
				}
			}
		}
	}
}

// Weighted copies each row times its weight, and touches nothing else.
func TestWeighted(t *testing.T) {
	need.That(t, cpu.Wide(), need.AVX2)
	rng := rand.New(rand.NewPCG(2, 2))
	for _, cols := range []int{1, 2, 3, 4, 5, 6, 7, 8, 12} {
		for count := 1; count < 5; count++ {
			for step := range 2 {
				ldd, ld := cols+rng.IntN(4), cols+rng.IntN(4)
				dst, src, weights := make([]float64, (count-1)*ldd+cols+2), make([]float64, (count-1)*ld+cols), make([]float64, count)
				for i := range src {
					src[i] = rng.NormFloat64()
				}
				for i := range weights {
					weights[i] = rng.NormFloat64()
				}
				want := make([]float64, len(dst))
				for i := range count {
					for j := range cols {
						want[i*ldd+j] = weights[i*step] * src[i*ld+j]
					}
				}
				simd.Weighted(&dst[0], &src[0], &weights[0], ldd, ld, step, count, cols)
				for i, w := range want {
					if dst[i] != w {
						t.Fatalf("%d rows of %d columns: entry %d is %g, want %g", count, cols, i, dst[i], w)
					}
				}
			}
		}
	}
}
