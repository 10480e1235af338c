package matrix

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/need"
)

// widths lists the kernels that there are: 0, 1 for wide ones, 2 for wider.
func widths() []int {
	switch {
	case !cpu.Wide():
		return []int{0}
	case !cpu.Wider():
		return []int{0, 1}
	}
	return []int{0, 1, 2}
}

// Products by either kernel are those by definition, and touch nothing else.
func TestSubtract(t *testing.T) {
	need.Have(t, cpu.Wide(), need.AVX2)
	need.Have(t, cpu.Wider(), need.AVX512)
	rng := rand.New(rand.NewPCG(1, 1))
	for trial := range 300 {
		k, height, width := 1+rng.IntN(150), 1+rng.IntN(60), 1+rng.IntN(110)
		if trial%30 == 0 { // more than one part of each kind
			k, height, width = 100+rng.IntN(400), 100+rng.IntN(400), 100+rng.IntN(400)
		}
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
		for _, wide := range widths() {
			f := newProduct(wide > 0, wide > 1)
			s := make([]float64, (height-1)*n+width)
			for i := range s {
				s[i] = float64(i)
			}
			f.Subtract(s, n, x, y, k, height, width, ldx, ldy, upper)
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
						t.Fatalf("width %d, upper %v, %d × %d × %d: entry (%d, %d) is %g, want %g", wide, upper, height, width, k, i, j, s[i*n+j], want)
					}
				}
			}
		}
	}
}

// Products by either kernel for wide registers have the same bits, also where one matrix is both
// factors.
func TestProductsRoundAlike(t *testing.T) {
	need.That(t, cpu.Wider(), need.AVX512)
	rng := rand.New(rand.NewPCG(4, 4))
	draw := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	for trial := range 150 {
		k, height, width := 1+rng.IntN(150), 1+rng.IntN(80), 1+rng.IntN(80)
		if trial%10 == 0 { // copies
			k, height, width = 1+rng.IntN(450), copyFrom+rng.IntN(30), copyFrom+rng.IntN(panelWidth)
		}
		upper := rng.IntN(2) == 0
		if upper {
			height = width
		}
		x, y := draw(k*height), draw(k*width)
		if upper && rng.IntN(2) == 0 {
			x = y
		}
		weights := [][]float64{nil, draw(k)}[rng.IntN(2)]
		start := draw(height * width)
		var got [2][]float64
		for w := range got {
			got[w] = append([]float64(nil), start...)
			newProduct(true, w > 0).SubtractWeighted(got[w], width, x, y, weights, k, height, width, height, width, upper)
		}
		for i := range height {
			for j := range width {
				if a, b := got[0][i*width+j], got[1][i*width+j]; (!upper || j >= i) && a != b {
					t.Fatalf("%d × %d × %d, upper %v: entry (%d, %d) is %g, and %g by wider registers", height, width, k, upper, i, j, a, b)
				}
			}
		}
	}
}

// A weight counts as a factor of its row.
func TestWeightedProduct(t *testing.T) {
	need.That(t, cpu.Wide(), need.AVX2)
	rng := rand.New(rand.NewPCG(3, 3))
	for trial := range 100 {
		k, height, width := 1+rng.IntN(150), 1+rng.IntN(60), 1+rng.IntN(60)
		if trial%20 == 0 { // copies of both factors
			k, height, width = 150+rng.IntN(150), copyFrom+rng.IntN(30), copyFrom+rng.IntN(300)
		}
		draw := func(n int) []float64 {
			v := make([]float64, n)
			for i := range v {
				v[i] = rng.NormFloat64()
			}
			return v
		}
		x, y, weights := draw(k*height), draw(k*width), draw(k)
		if trial%60 == 0 { // one matrix is both
			x, height = y, width
		}
		want := make([]float64, height*width)
		for l, w := range weights {
			for i := range height {
				for j := range width {
					want[i*width+j] -= w * x[l*height+i] * y[l*width+j]
				}
			}
		}
		for _, wide := range widths()[1:] {
			f, s := newProduct(true, wide > 1), make([]float64, height*width)
			f.SubtractWeighted(s, width, x, y, weights, k, height, width, height, width, false)
			for i, v := range want {
				if !(math.Abs(s[i]-v) <= 1e-11*(1+math.Abs(v))) {
					t.Fatalf("width %d, %d × %d × %d: entry %d is %g, want %g", wide, height, width, k, i, s[i], v)
				}
			}
		}
	}
}
