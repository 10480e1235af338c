package kkt

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/cpu"
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

// Vector operations of any length are those by definition, and touch nothing
// else.
func TestVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for n := range 70 {
		v := make([][]float64, 3)
		for k := range v {
			v[k] = make([]float64, n+1)
			for i := range v[k] {
				v[k][i] = rng.NormFloat64()
			}
		}
		for _, w := range []vectors{false, vectors(cpu.Wide())} {
			times, added, both := slices.Clone(v[2]), slices.Clone(v[2]), slices.Clone(v[2])
			scaled(times[:n], 0.3, v[0])
			w.axpy(added[:n], 0.3, v[0])
			dot := w.dot(v[0][:n], v[1])
			same := w.dotAxpy(v[0][:n], v[1], both, 0.3)
			want := 0.0
			for i := range n {
				want += v[0][i] * v[1][i]
				sum := v[2][i] + 0.3*v[0][i]
				if times[i] != 0.3*v[0][i] || !(math.Abs(added[i]-sum) <= 1e-15) || !(math.Abs(both[i]-sum) <= 1e-15) {
					t.Fatalf("wide %v, length %d: entry %d is %g, %g and %g", w, n, i, times[i], added[i], both[i])
				}
			}
			if !(math.Abs(dot-want) <= 1e-13) || !(math.Abs(same-want) <= 1e-13) {
				t.Errorf("wide %v, length %d: products are %g and %g, want %g", w, n, dot, same, want)
			}
			if times[n] != v[2][n] || added[n] != v[2][n] || both[n] != v[2][n] {
				t.Errorf("wide %v, length %d: the entry behind has changed", w, n)
			}
		}
	}
}

// Products by either kernel are those by definition, and touch nothing else.
func TestSubtractBlock(t *testing.T) {
	if len(widths()) < 3 {
		t.Log("SKIPPED: wide kernels that this processor or build has not")
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
		for _, wide := range widths() {
			f := &arrowhead{border: make([]int32, n), wide: wide > 0, wider: wide > 1, pack: make([]float64, tileRows*packCols), ones: ones()}
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
						t.Fatalf("width %d, upper %v, %d × %d × %d: entry (%d, %d) is %g, want %g", wide, upper, height, width, k, i, j, s[i*n+j], want)
					}
				}
			}
		}
	}
}

// A weight counts as a factor of its row.
func TestWeightedProduct(t *testing.T) {
	if !cpu.Wider() {
		t.Skip("SKIPPED: no AVX-512 in this processor or build")
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		k, height, width := 1+rng.IntN(150), 1+rng.IntN(60), 1+rng.IntN(60)
		draw := func(n int) []float64 {
			v := make([]float64, n)
			for i := range v {
				v[i] = rng.NormFloat64()
			}
			return v
		}
		x, y, weights := draw(k*height), draw(k*width), draw(k)
		f := &arrowhead{border: make([]int32, width), wider: true, pack: make([]float64, tileRows*packCols), ones: ones()}
		s, want := make([]float64, height*width), make([]float64, height*width)
		f.subtractWider(s, x, y, weights, k, height, width, height, width, false)
		for l, w := range weights {
			for i := range height {
				for j := range width {
					want[i*width+j] -= w * x[l*height+i] * y[l*width+j]
				}
			}
		}
		for i, v := range want {
			if !(math.Abs(s[i]-v) <= 1e-11*(1+math.Abs(v))) {
				t.Fatalf("%d × %d × %d: entry %d is %g, want %g", height, width, k, i, s[i], v)
			}
		}
	}
}
