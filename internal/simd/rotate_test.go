package simd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/need"
	"github.com/dcopt/dcopt/internal/simd"
)

// Turns of rows are those by definition, with the same bits by either kernel, and nothing else is
// written.
func TestRotate(t *testing.T) {
	need.That(t, cpu.Wide(), need.AVX2)
	widerToo := need.Have(t, cpu.Wider(), need.AVX512)
	rng := rand.New(rand.NewPCG(1, 2))
	for count := 1; count < 20; count++ {
		const columns = 32
		ld := columns + 2 + rng.IntN(3)
		z, turns := make([]float64, (count+1)*ld), make([]float64, 2*count)
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		for k := range count {
			turns[2*k+1], turns[2*k] = math.Sincos(7 * rng.Float64())
		}
		want, half, wider := slices.Clone(z), slices.Clone(z), slices.Clone(z)
		for k := range count {
			x, y := want[(count-k-1)*ld:][:columns], want[(count-k)*ld:][:columns]
			c, s := turns[2*k], turns[2*k+1]
			for i, u := range x {
				x[i], y[i] = c*u-s*y[i], s*u+c*y[i]
			}
		}
		for h := 0; h < columns; h += 16 {
			simd.Rotate(&half[count*ld+h], &turns[0], ld, count)
		}
		for i, v := range want {
			if !(math.Abs(half[i]-v) <= 1e-14) {
				t.Fatalf("%d turns: entry %d is %g, want %g", count, i, half[i], v)
			}
		}
		if !widerToo {
			continue
		}
		if simd.RotateWider(&wider[count*ld], &turns[0], ld, count); !slices.Equal(wider, half) {
			t.Fatalf("%d turns: other bits by wider registers", count)
		}
	}
}
