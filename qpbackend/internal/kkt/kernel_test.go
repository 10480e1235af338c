package kkt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Products by either kernel are those by definition, and touch nothing else.
func TestSubtractBlock(t *testing.T) {
	if !hasWide() {
		t.Log("SKIPPED: the wide kernel, which this processor or build has not")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		k, height, width := 1+rng.IntN(150), 1+rng.IntN(60), 1+rng.IntN(110)
		upper := rng.IntN(2) == 0
		if upper {
			height = width
		}
		ldx, ldy, n := height+rng.IntN(3), width+rng.IntN(3), width+rng.IntN(5)
		x, y := make([]float64, (k-1)*ldx+height), make([]float64, (k-1)*ldy+width)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for i := range y {
			y[i] = rng.NormFloat64()
		}
		for _, wide := range []bool{false, hasWide()} {
			f := &bordered{border: make([]int32, n), wide: wide}
			s := make([]float64, (height-1)*n+width)
			for i := range s {
				s[i] = float64(i)
			}
			f.subtractBlock(s, x, y, k, height, width, ldx, ldy, upper)
			for i := range height {
				for j := range n {
					if upper && j < i || i*n+j >= len(s) {
						continue
					}
					want := float64(i*n + j)
					if j < width {
						for l := range k {
							want -= x[l*ldx+i] * y[l*ldy+j]
						}
					}
					if !(math.Abs(s[i*n+j]-want) <= 1e-11*(1+math.Abs(want))) {
						t.Fatalf("wide %v, upper %v, %d × %d × %d: entry (%d, %d) is %g, want %g", wide, upper, height, width, k, i, j, s[i*n+j], want)
					}
				}
			}
		}
	}
}
