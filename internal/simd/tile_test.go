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

// Tile is compared with sums at every length. What lies behind the length must not be used, and the
// place in memory must not matter.
func TestTile(t *testing.T) {
	need.That(t, cpu.Wide(), need.AVX2)
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
	need.That(t, cpu.Wide(), need.AVX2)
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

// Solve with tiles of either kind has the bits of sums in the order of the columns, of rounded
// products in blocks of eight columns, for all widths and heights, and writes nothing else. What it
// reads beyond the rows, and above the diagonal of L, does not matter.
func TestSolve(t *testing.T) {
	need.That(t, cpu.Wide(), need.AVX2)
	kinds := []simd.Tiles{simd.TilesOf(false)}
	if need.Have(t, cpu.Wider(), need.AVX512) {
		kinds = append(kinds, simd.TilesOf(true))
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
					panel, inverse := make([]float64, rows*width+simd.Beyond), make([]float64, 64)
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
							sum := 0.0
							for k, v := range u[:block] {
								sum = math.FMA(v, want[c*width+k], sum)
							}
							own[c] -= sum
							for k, v := range u[block:c] {
								own[c] -= float64(v * want[c*width+block+k])
							}
							u[c] = own[c]
						}
						for c, v := range u {
							own[c] = v * inverse[c]
						}
						for c := cols; c < min(width, cols+8*open); c++ {
							sum := 0.0
							for k, v := range u {
								sum = math.FMA(v, want[c*width+k], sum)
							}
							own[c] -= sum
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

// SubtractWiderRows and PackWider have the bits of loops, for all shapes, and write nothing else.
// What they read beyond their rows does not matter.
func TestWiderRows(t *testing.T) {
	need.That(t, cpu.Wider(), need.AVX512)
	rng := rand.New(rand.NewPCG(4, 4))
	draw := func(n, beyond int) []float64 {
		v := make([]float64, n+beyond)
		for i := range v {
			if v[i] = rng.NormFloat64(); i >= n {
				v[i] = math.NaN()
			}
		}
		return v
	}
	for cols := 1; cols <= 24; cols++ {
		for rows := 1; rows <= 18; rows++ {
			for _, k := range []int{1, 2, 5, 6, 8, 13, 64} {
				fused := rng.IntN(2)
				ldx, ldy := k+rng.IntN(65-k), (cols+7)/8*8+8*rng.IntN(2)
				x, y, val, at := draw((rows-1)*ldx+k, simd.Beyond), draw(k*ldy, 0), draw(rows*30, 0), make([]int, rows)
				for i, p := range rng.Perm(rows) {
					at[i] = 30*p + rng.IntN(31-cols)
				}
				want := append([]float64(nil), val...)
				for i, p := range at {
					for j := range cols {
						sum := 0.0
						for l := range k {
							if a, b := x[i*ldx+l], y[l*ldy+j]; fused == 1 {
								sum = math.FMA(a, b, sum)
							} else {
								sum += float64(a * b)
							}
						}
						want[p+j] -= sum
					}
				}
				simd.SubtractWiderRows(&val[0], &at[0], &x[0], &y[0], ldx, ldy, k, rows, cols, fused)
				for i, w := range want {
					if math.Float64bits(val[i]) != math.Float64bits(w) {
						t.Fatalf("%d × %d, k = %d, fused %d: entry %d is %g, want %g", rows, cols, k, fused, i, val[i], w)
					}
				}
			}
		}
	}
	for k := 1; k <= 64; k++ {
		for range 8 {
			mask, ld, ldd := 1+rng.IntN(255), k+rng.IntN(65-k), 8+rng.IntN(17)
			deep := (k + 7) / 8 * 8
			src, weights, dst := draw(7*ld+k, simd.Beyond+7), draw(k, 7), draw((deep-1)*ldd+8, 0)
			want := append([]float64(nil), dst...)
			for l := range k {
				row := 0
				for c := range 8 {
					if want[l*ldd+c] = 0; mask>>c&1 == 1 {
						want[l*ldd+c] = src[row*ld+l] * weights[l]
						row++
					}
				}
			}
			simd.PackWider(&dst[0], &src[0], &weights[0], ldd, ld, k, mask)
			for i, w := range want {
				if l, c := i/ldd, i%ldd; (l < k || c >= 8) && math.Float64bits(dst[i]) != math.Float64bits(w) {
					t.Fatalf("k = %d, mask %b: entry %d, %d is %g, want %g", k, mask, l, c, dst[i], w)
				}
			}
		}
	}
}

// SubtractPanel and SubtractWiderPanelT have the bits of MulPanel and SubtractMulPanelT with
// entries gathered before, and write nothing else.
func TestPanelsOfRows(t *testing.T) {
	need.That(t, cpu.Wide(), need.AVX2)
	widerToo := need.Have(t, cpu.Wider(), need.AVX512)
	rng := rand.New(rand.NewPCG(6, 6))
	draw := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	for width := 1; width <= 64; width++ {
		for groups := 1; groups <= 3; groups++ {
			count := 4 * groups
			panel, own, x, rows := draw(count*width+15), draw(width+3), draw(40), make([]int32, count)
			for i, r := range rng.Perm(len(x))[:count] {
				rows[i] = int32(r)
			}
			y, got, want := make([]float64, count), append([]float64(nil), x...), append([]float64(nil), x...)
			simd.MulPanel(&panel[0], groups, width, &own[0], &y[0])
			for k, i := range rows {
				want[i] -= y[k]
			}
			simd.SubtractPanel(&panel[0], groups, width, &own[0], &got[0], &rows[0])
			if !slices.Equal(got, want) {
				t.Fatalf("%d × %d: %v, want %v", count, width, got, want)
			}
			if !widerToo {
				continue
			}
			for k, i := range rows {
				y[k] = x[i]
			}
			got, want = append([]float64(nil), own...), append([]float64(nil), own...)
			simd.SubtractMulPanelT(&panel[0], groups, width, &y[0], &want[0])
			simd.SubtractWiderPanelT(&panel[0], groups, width, &got[0], &x[0], &rows[0])
			if !slices.Equal(got, want) {
				t.Fatalf("%d × %d transposed: %v, want %v", count, width, got, want)
			}
		}
	}
}
