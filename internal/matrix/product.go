package matrix

import (
	"context"

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

// Wider reports whether there are the kernels of SubtractWeighted.
func (f *Product) Wider() bool { return f.wider }

// subtractProduct takes Aᵀ·x from dst, for the matrix in a, rows × len(dst) with
// rows ld apart, and x with entries step apart.
func subtractProduct(dst, a []float64, rows, ld int, x []float64, step int) {
	gonum.Implementation{}.Dgemv(blas.Trans, rows, len(dst), -1, a, ld, x, step, 1, dst, 1)
}

// A product is done in pieces of x and y that stay in the nearest cache.
// Source: derived: a tile of 64 x 48 float64 has 24 KB and stays in a first-level
// cache of 32 KB.
const (
	tileRows = 64
	tileCols = 48
)

// Subtract takes xᵀy from s, height × width with rows n apart, where x and y have k rows,
// ldx and ldy apart; with upper, from the upper triangle at least.
func (f *Product) Subtract(s []float64, n int, x, y []float64, k, height, width, ldx, ldy int, upper bool) {
	if f.wider {
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
			i := 0
			if f.wide {
				for ; i+4 <= rows; i += 4 {
					c := j
					if upper {
						c = max(i, j)
					}
					xi := x[from*ldx+i : (to-1)*ldx+i+4]
					yc := y[from*ldy : (to-1)*ldy+end]
					sc := s[i*n : (i+3)*n+end]
					for ; c < end; c += 8 {
						simd.SubtractTile(&sc[c], &xi[0], &yc[c], n, ldx, ldy, to-from, min(8, end-c))
					}
				}
			}
			for ; i < rows; i++ {
				c := j
				if upper {
					c = max(i, j)
				}
				subtractProduct(s[i*n+c:][:end-c], y[from*ldy+c:], to-from, ldy, x[from*ldx+i:], ldx)
			}
		}
	}
}

// Sizes of the wider kernel's tiles.
// Source: the registers of the kernels in internal/simd: 8 float64 in one, three of
// these.
const (
	packCols  = 8
	widerCols = 24
)

// SubtractWeighted is Subtract with the wider kernels, which must be there, each row of y
// times its weight unless weights is nil.
func (f *Product) SubtractWeighted(s []float64, n int, x, y, weights []float64, k, height, width, ldx, ldy int, upper bool) {
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

// ones is as many weights as a piece has rows.
func ones() []float64 {
	v := make([]float64, tileRows)
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
