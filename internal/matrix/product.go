package matrix

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/internal/simd"
)

// Product multiplies dense matrices by the best kernels of the processor. It is for one
// goroutine.
type Product struct {
	work  poll.Poll
	ended bool // the context has

	wide  bool // the processor has the registers for the kernels
	wider bool // and wider ones
	pack  []float64
	ones  []float64

	packedX, packedY []float64 // panels
}

// NewProduct makes one.
func NewProduct() *Product { return newProduct(cpu.Wide(), cpu.Wider()) }

func newProduct(wide, wider bool) *Product {
	return &Product{work: poll.New(context.Background()), wide: wide, wider: wider, pack: make([]float64, tileRows*packCols), ones: ones()}
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
	if f.wide {
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
func (f *Product) SubtractWeighted(s []float64, n int, x, y, weights []float64, k, height, width, ldx, ldy int, upper bool) {
	if f.wider {
		f.subtractWider(s, n, x, y, weights, k, height, width, ldx, ldy, upper)
		return
	}
	copied := min(height, width) >= copyFrom
	panels := copied || weights != nil // of y
	parts, wides := (k+tileRows-1)/tileRows, (width+panelWidth-1)/panelWidth
	if copied {
		parts = (k + panelRows - 1) / panelRows
	}
	for part := range parts {
		from, to := part*k/parts, (part+1)*k/parts
		rows := to - from
		for w := range wides {
			left, right := w*width/wides, (w+1)*width/wides
			if panels {
				f.packY(y[from*ldy+left:], weights, from, rows, right-left, ldy)
			}
			bottom := height
			if upper {
				bottom = min(height, right)
			}
			for top := 0; top < bottom; top += panelHeight {
				end := min(top+panelHeight, bottom)
				if copied {
					f.packX(x[from*ldx+top:], rows, end-top, ldx)
				}
				for j, wide := left, 0; j < right; j += wide {
					wide = min(simd.TileWide, right-j)
					if !panels {
						wide = columns(right - j)
					}
					last := end
					if upper {
						last = min(end, j+wide)
					}
					if last <= top {
						continue
					}
					if f.Ends(rows * wide * (last - top)) {
						return
					}
					yj, ny := []float64(nil), simd.TileWide
					if panels {
						yj = f.packedY[(j-left)*rows:][:rows*simd.TileWide]
					} else {
						yj, ny = y[from*ldy+j:(to-1)*ldy+j+wide], ldy
					}
					for i := top; i < last; i += simd.TileHigh {
						high := min(simd.TileHigh, end-i)
						xi, nx := []float64(nil), simd.TileHigh
						if copied {
							xi = f.packedX[(i-top)*rows:][:rows*simd.TileHigh]
						} else {
							xi, nx = x[from*ldx+i:(to-1)*ldx+i+high], ldx
						}
						sij := s[i*n+j : (i+high-1)*n+j+wide]
						simd.SubtractTile(&sij[0], &xi[0], &yj[0], n, 1, nx, ny, rows, high, wide)
					}
				}
			}
		}
	}
}

// columns is how many of so many columns the wide kernel takes where it may read none behind them.
func columns(left int) int {
	switch {
	case left == simd.TileWide || left > 16:
		return simd.TileWide
	}
	return min(left, 8)
}

// Sizes of the parts of a product by the wide kernel: a part of y, panelRows × simd.TileWide,
// stays in the nearest cache, panelRows × panelHeight of x in the second one. The order of loops is that of
// Goto and van de Geijn, Anatomy of high-performance matrix multiplication, ACM TOMS 34 (2008) 12.
// Source: derived: 192 x 12 float64 have 18 KB, 192 x 144 have 221 KB, for caches of
// 32 KB and 512 KB; 192 x 1536 have 2.4 MB, part of a third one.
const (
	panelRows   = 192
	panelHeight = 144
	panelWidth  = 1536
)

// copyFrom is the number of rows and columns from which copies of both factors in panels pay.
// Source: BenchmarkSubtract: they take 20 % longer at 180, 5 % at 250, and 30 % less at 1000.
const copyFrom = 256

// packX copies cols columns of x into panels of simd.TileHigh ones. Those of the last panel that are not there have no meaning.
func (f *Product) packX(x []float64, rows, cols, ld int) {
	f.packedX = slices.Grow(f.packedX[:0], rows*(cols+simd.TileHigh))[:rows*(cols+simd.TileHigh)]
	at := f.packedX
	for j := 0; j < cols; j += simd.TileHigh {
		if cols-j < simd.TileHigh {
			for r := range rows {
				copy(at[r*simd.TileHigh:][:simd.TileHigh], x[r*ld+j:r*ld+cols])
			}
			return
		}
		for r := range rows {
			*(*[simd.TileHigh]float64)(at[r*simd.TileHigh:]) = [simd.TileHigh]float64(x[r*ld+j:])
		}
		at = at[rows*simd.TileHigh:]
	}
}

// packY copies cols columns of y, times the weights from first on, into panels of simd.TileWide ones.
func (f *Product) packY(y, weights []float64, first, rows, cols, ld int) {
	f.packedY = slices.Grow(f.packedY[:0], rows*(cols+simd.TileWide))[:rows*(cols+simd.TileWide)]
	wt := f.ones[:rows]
	if weights != nil {
		wt = weights[first:][:rows]
	}
	at := f.packedY
	for j := 0; j < cols; j += simd.TileWide {
		if cols-j < simd.TileWide {
			for r, v := range wt {
				for c, e := range y[r*ld+j : r*ld+cols] {
					at[r*simd.TileWide+c] = v * e
				}
			}
			return
		}
		_, _ = at[rows*simd.TileWide-1], y[(rows-1)*ld+j+simd.TileWide-1] // the kernel checks no bounds
		simd.Twelve(&at[0], &y[j], &wt[0], ld, rows)
		at = at[rows*simd.TileWide:]
	}
}

// Sizes of the wider kernel's tiles.
// Source: the registers of the kernels in internal/simd: 8 float64 in one, three of
// these.
const (
	packCols  = 8
	widerCols = 24
)

// subtractWider is SubtractWeighted by the wider kernels.
func (f *Product) subtractWider(s []float64, n int, x, y, weights []float64, k, height, width, ldx, ldy int, upper bool) {
	parts := (k + tileRows - 1) / tileRows
	for part := range parts {
		from, to := part*k/parts, (part+1)*k/parts
		wt := f.ones[:to-from]
		if weights != nil {
			wt = weights[from:to]
		}
		for i := 0; i < height; i += packCols {
			rows := min(packCols, height-i)
			if f.Ends((to - from) * width * rows) {
				return
			}
			xi, ld := x[from*ldx+i:(to-1)*ldx+i+rows], ldx
			if rows < packCols { // the kernel reads on
				xi, ld = f.packed(xi, ldx, rows, to-from), packCols
			}
			j := 0
			if upper {
				j = i
			}
			for ; j < width; j += widerCols {
				cols := min(widerCols, width-j)
				yj := y[from*ldy+j : (to-1)*ldy+j+cols]
				sij := s[i*n+j : (i+rows-1)*n+j+cols]
				if cols <= packCols {
					simd.SubtractWiderColumn(&sij[0], &xi[0], &yj[0], &wt[0], n, ld, ldy, to-from, rows, cols)
				} else {
					simd.SubtractWiderTile(&sij[0], &xi[0], &yj[0], &wt[0], n, ld, ldy, to-from, rows, cols)
				}
			}
		}
	}
}

// ones is as many weights as a part has rows.
func ones() []float64 {
	v := make([]float64, panelRows)
	for i := range v {
		v[i] = 1
	}
	return v
}

// packed copies cols columns of x, k rows, next to one another into rows of
// packCols. The padding does not matter.
func (f *Product) packed(x []float64, ldx, cols, k int) []float64 {
	for r := range k {
		copy(f.pack[r*packCols:][:packCols], x[r*ldx:][:cols])
	}
	return f.pack
}
