package matrix

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/internal/simd"
)

// Product multiplies dense matrices by the best kernels of the processor. It is for one
// goroutine.
type Product struct {
	work  poll.Poll
	ended bool // the context has

	wide  bool       // the processor has the registers for the kernels
	tiles simd.Tiles // of these

	packedX, packedY []float64  // panels
	one              [1]float64 // 1, the weight of all rows where there are none
}

// NewProduct makes one.
func NewProduct() *Product { return newProduct(cpu.Wide(), cpu.Wider()) }

func newProduct(wide, wider bool) *Product {
	return &Product{work: poll.New(context.Background()), wide: wide, tiles: simd.TilesOf(wider), one: [1]float64{1}}
}

// Within lets all methods end early once ctx has ended: their results are of no use then.
func (f *Product) Within(ctx context.Context) { f.work, f.ended = poll.New(ctx), false }

// Ends counts so many multiplications and reports whether the context has ended.
func (f *Product) Ends(work int) bool {
	f.ended = f.ended || f.work.Err(work) != nil
	return f.ended
}

// Wide reports whether there are the kernels of SubtractWeighted.
func (f *Product) Wide() bool { return f.wide }

// Axpy adds α·x to dst, of the same length.
func (f *Product) Axpy(dst []float64, α float64, x []float64) {
	if simd.Have && f.wide && len(dst) >= leastWide {
		x = x[:len(dst)] // the kernel checks no bounds
		simd.Axpy(&dst[0], &x[0], α, len(dst))
		return
	}
	num.Axpy(dst, α, x)
}

// Lanes is how many matrices Gather takes entries of.
const Lanes = 8

// Gather sets sum[i] to Σ x[e]·u[Lanes·at[e] + i], over the entries of x, of which at has as many.
// The places must be within u.
func (f *Product) Gather(sum *[Lanes]float64, x []float64, at []int32, u []float64) {
	if *sum = [Lanes]float64{}; simd.Have && f.wide && len(x) > 0 {
		simd.Gather(sum, &x[0], &at[0], &u[0], len(x))
		return
	}
	for e, v := range x {
		for i, w := range u[Lanes*int(at[e]):][:Lanes] {
			sum[i] += v * w
		}
	}
}

// subtractProduct takes Aᵀ·x from dst, for the matrix in a, rows × len(dst) with
// rows ld apart, and x with entries step apart.
func subtractProduct(dst, a []float64, rows, ld int, x []float64, step int) {
	gonum.Implementation{}.Dgemv(blas.Trans, rows, len(dst), -1, a, ld, x, step, 1, dst, 1)
}

// Without kernels, a product is done in pieces of x and y that stay in the nearest cache.
// Source: derived: a tile of 64 x 48 float64 has 24 KB and stays in a first-level
// cache of 32 KB.
const (
	tileRows = 64
	tileCols = 48
)

// Subtract takes xᵀy from s, height × width with rows n apart, where x and y have k rows,
// ldx and ldy apart; with upper, from the upper triangle at least.
func (f *Product) Subtract(s []float64, n int, x, y []float64, k, height, width, ldx, ldy int, upper bool) {
	if simd.Have && f.wide {
		f.SubtractWeighted(s, n, x, y, nil, k, height, width, ldx, ldy, upper)
		return
	}
	parts := (k + tileRows - 1) / tileRows
	for part := range parts {
		from, to := part*k/parts, (part+1)*k/parts
		for j, end := 0, 0; j < width; j = end {
			if end = j + tileCols; end+tileCols/2 > width {
				end = width
			}
			if f.Ends((to - from) * (end - j) * height) {
				return
			}
			rows := height
			if upper {
				rows = end
			}
			for i := range rows {
				c := j
				if upper {
					c = max(i, j)
				}
				subtractProduct(s[i*n+c:][:end-c], y[from*ldy+c:], to-from, ldy, x[from*ldx+i:], ldx)
			}
		}
	}
}

// SubtractWeighted is Subtract with the kernels for wide registers, which must be there, each row
// of y times its weight unless weights is nil.
func (f *Product) SubtractWeighted(s []float64, n int, x, y, weights []float64, k, height, width, ldx, ldy int,
	upper bool) {
	tiles, part, block := f.tiles, tileRows, width
	copied := min(height, width) >= copyFrom
	panels := copied || weights != nil // of y
	if copied {
		part, block = panelRows, panelWidth
	}
	same := copied && &x[0] == &y[0] && ldx == ldy && height == width
	for p, parts := 0, (k+part-1)/part; p < parts; p++ {
		from, to := p*k/parts, (p+1)*k/parts
		rows := to - from
		if copied {
			f.packedX = f.pack(f.packedX, x[from*ldx:], nil, from, rows, height, ldx)
		}
		for left := 0; left < width; left += block {
			right := min(left+block, width)
			packed := f.packedX[min(left*rows, len(f.packedX)):]
			switch {
			case same && weights != nil:
				packed = f.weigh(packed, weights[from:to], right-left)
			case panels && !same:
				f.packedY = f.pack(f.packedY, y[from*ldy+left:], weights, from, rows, right-left, ldy)
				packed = f.packedY
			}
			bottom := height
			if upper {
				bottom = min(height, right)
			}
			for i := 0; i < bottom; i += tiles.High {
				high, j := min(tiles.High, height-i), left
				if upper && i > left {
					j = i - (i-left)%tiles.Wide
				}
				if f.Ends(rows * high * (right - j)) {
					return
				}
				xi, nx := []float64(nil), tiles.Wide
				if copied {
					xi = f.packedX[i/nx*nx*rows+i%nx:]
				} else {
					xi, nx = x[from*ldx+i:(to-1)*ldx+i+high], ldx
				}
				for wide := 0; j < right; j += wide {
					wide = min(tiles.Wide, right-j)
					yj, ny := []float64(nil), tiles.Wide
					if panels {
						yj = packed[(j-left)*rows:][:rows*tiles.Wide]
					} else {
						wide = f.columns(right - j)
						yj, ny = y[from*ldy+j:(to-1)*ldy+j+wide], ldy
					}
					sij := s[i*n+j : (i+high-1)*n+j+wide]
					tiles.Subtract(&sij[0], &xi[0], &yj[0], n, 1, nx, ny, rows, high, wide)
				}
			}
		}
	}
}

// columns is how many of so many columns a tile takes that may read none behind them.
func (f *Product) columns(left int) int {
	if f.tiles.High > 4 || left == f.tiles.Wide || left > 16 {
		return min(left, f.tiles.Wide)
	}
	return min(left, 8)
}

// Sizes of the parts of a product by the wide kernels: panelRows rows of a tile's part of x stay in
// the nearest cache, panelRows × panelWidth of y in the second one, from where tile after tile
// reads them in order. Copying goes along rows from manyPanels panels on. Source: BenchmarkSubtract
// at 1000 × 1000 × 4000: with 192 rows of 480 columns products take .9 of the time with 256 or 384
// of 240; eight columns of 192 float64 have 12 KB, 480 have 737 KB.
const (
	panelRows  = 192
	panelWidth = 480
	manyPanels = 4
)

// copyFrom is the number of rows and columns from which copies of both factors in panels pay.
// Source: BenchmarkSubtract: they take 5 % longer at 250, and 20 to 40 % less at 1000.
const copyFrom = 256

// weigh sets packedY to so many columns in panels, each row times its weight.
func (f *Product) weigh(panels, weights []float64, cols int) []float64 {
	rows, wide := len(weights), f.tiles.Wide
	n := (cols + wide - 1) / wide * wide * rows
	f.packedY = slices.Grow(f.packedY[:0], n)[:n]
	_ = panels[n-1] // the kernel checks no bounds
	for j := 0; j < n; j += wide * rows {
		for c := j; c < j+wide; c += 12 {
			simd.Weighted(&f.packedY[c], &panels[c], &weights[0], wide, wide, 1, rows, 12)
		}
	}
	return f.packedY
}

// pack copies cols columns of y, times the weights from first on, into panels as wide as tiles: row
// by row where there are several of them, as rows lie in order in memory.
func (f *Product) pack(packed, y, weights []float64, first, rows, cols, ld int) []float64 {
	wide := f.tiles.Wide
	packed = slices.Grow(packed[:0], rows*(cols+wide))[:rows*(cols+wide)]
	wt, next := f.one[:], 0
	if weights != nil {
		wt, next = weights[first:][:rows], 1
	}
	count := cols / wide
	if count < manyPanels {
		count = 0
	}
	_ = y[(rows-1)*ld+cols-1] // the kernel checks no bounds
	for r := 0; count > 0 && r < rows; r++ {
		for c := 0; c < wide; c += 12 {
			simd.Weighted(&packed[r*wide+c], &y[r*ld+c], &wt[r*next], rows*wide, wide, 0, count, 12)
		}
	}
	for j, n := count*wide, 0; j < cols; j += n {
		if n = cols - j; n > 8 {
			n = 8 + min(n, 12)/12*4
		}
		simd.Weighted(&packed[j/wide*wide*rows+j%wide], &y[j], &wt[0], wide, ld, next, rows, n)
	}
	return packed
}
