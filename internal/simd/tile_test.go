package simd_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/simd"
)

// Tile is compared with sums at every length. What lies behind the length must not be used, and the place in memory must not matter.
func TestTile(t *testing.T) {
	if !cpu.Wide() {
		t.Skip("SKIPPED: this processor or build has no wide kernels")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	const ld = 64
	for n := 1; n <= ld; n++ {
		a, b := make([]float64, 4*ld+3), make([]float64, 2*ld+3)
		for _, v := range [][]float64{a, b} {
			for k := range v {
				if v[k] = math.NaN(); k%ld < n {
					v[k] = rng.NormFloat64()
				}
			}
		}
		var got, moved [8]float64
		simd.Tile(&a[0], &b[0], ld, n, &got)
		for k, sum := range got {
			want := 0.0
			for l := range n {
				want += a[k/2*ld+l] * b[k%2*ld+l]
			}
			if !(math.Abs(sum-want) <= 1e-13*float64(n)) {
				t.Fatalf("length %d: sum %d is %g, want %g", n, k, sum, want)
			}
		}
		for shift := 1; shift <= 3; shift++ {
			copy(a[shift:], a)
			copy(b[shift:], b)
			if simd.Tile(&a[shift], &b[shift], ld, n, &moved); moved != got {
				t.Fatalf("length %d: the sums differ when the operands move by %d", n, shift)
			}
			copy(a, a[shift:])
			copy(b, b[shift:])
		}
	}
}

// A NaN in any place of the operands of Tile reaches the sums that it is part of, and no others.
func TestNaNReachesItsSums(t *testing.T) {
	if !cpu.Wide() {
		t.Skip("SKIPPED: this processor or build has no wide kernels")
	}
	const n = 11
	for place := range 6 * n {
		v := make([]float64, 6*n)
		v[place] = math.NaN()
		var sum [8]float64
		simd.Tile(&v[0], &v[4*n], n, n, &sum)
		for k, s := range sum {
			row := place / n
			if want := row == k/2 || row == 4+k%2; math.IsNaN(s) != want {
				t.Fatalf("NaN at %d: sum %d is %g", place, k, s)
			}
		}
	}
}

// Solve with tiles of either kind has the bits of a loop over the columns, with fused products but in blocks of eight columns, for all widths and heights, and writes nothing else. What
// it reads beyond the rows, and above the diagonal of L, does not matter.
func TestSolve(t *testing.T) {
	if !cpu.Wide() {
		t.Skip("SKIPPED: this processor or build has no wide kernels")
	}
	kinds := []simd.Tiles{simd.TilesOf(false)}
	if cpu.Wider() {
		kinds = append(kinds, simd.TilesOf(true))
	} else {
		t.Log("SKIPPED: this processor has no AVX-512")
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for _, tiles := range kinds {
		for width := 1; width <= 64; width++ {
			for height := 1; height <= 18; height++ {
				for open := range 2 {
					cols, first := width, width // solved columns, and the first of the rows
					if open == 1 {
						cols = rng.IntN((width+7)/8) * 8
						if first = cols; cols == 0 || height > 8 {
							continue
						}
					}
					rows := max(width, first+height)
					panel, inverse := make([]float64, rows*width+simd.SolveBeyond), make([]float64, 64)
					for i := range panel {
						panel[i] = math.NaN()
						if r, c := i/width, i%width; r < rows && (r >= first || c < min(r, cols)) {
							panel[i] = rng.NormFloat64() / 4
						}
					}
					for i := range inverse {
						inverse[i] = rng.NormFloat64()
					}
					want := append([]float64(nil), panel...)
					for r := first; r < first+height; r++ {
						own, u := want[r*width:][:width], make([]float64, cols)
						for c := range cols {
							block := c &^ 7
							for k, v := range u[:block] {
								own[c] = math.FMA(-v, want[c*width+k], own[c])
							}
							for k, v := range u[block:c] {
								own[c] -= float64(v * want[c*width+block+k])
							}
							u[c] = own[c]
						}
						for c, v := range u {
							own[c] = v * inverse[c]
						}
						for c := cols; c < min(width, cols+8*open); c++ {
							for k, v := range u {
								own[c] = math.FMA(-v, want[c*width+k], own[c])
							}
						}
					}
					solved := make([]float64, 512)
					tiles.Solve(&panel[first*width], &panel[0], &inverse[0], &solved[0], width, height, cols, open)
					for i, w := range want {
						r, c := i/width, i%width
						if open == 1 && r >= first && r < first+height && c > r {
							continue // of no meaning
						}
						if math.Float64bits(panel[i]) != math.Float64bits(w) {
							t.Fatalf("%d rows of %d, %d columns, open %d, tiles %v: entry %d, %d is %g, want %g", height, width, cols, open, tiles, r, c, panel[i], w)
						}
					}
				}
			}
		}
	}
}
