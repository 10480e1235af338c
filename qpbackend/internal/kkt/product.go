package kkt

import "github.com/dcopt/dcopt/internal/simd"

// subtract takes xᵀy from the part of the border at blocks a and b, where x and
// y have k rows; of a block with itself or a scaled copy, from the upper triangle at
// least.
func (f *arrowhead) subtract(x, y []float64, k int, a, b *block) {
	n := len(f.border)
	s := f.s[a.first*n+b.first:]
	f.subtractBlock(s, x, y, k, a.width, b.width, a.width, b.width, a.copyOf == b.copyOf)
}

// A product is done in pieces of x and y that stay in the nearest cache.
// Source: derived: a tile of 64 x 48 float64 has 24 KB and stays in a first-level
// cache of 32 KB.
const (
	tileRows = 64
	tileCols = 48
)

// subtractBlock takes xᵀy from s, height × width with rows as far apart as those
// of the border, where x and y have k rows, ldx and ldy apart; with upper, from
// the upper triangle at least.
func (f *arrowhead) subtractBlock(s, x, y []float64, k, height, width, ldx, ldy int, upper bool) {
	if f.wider {
		f.subtractWider(s, x, y, nil, k, height, width, ldx, ldy, upper)
		return
	}
	n := len(f.border)
	parts := (k + tileRows - 1) / tileRows
	for part := range parts {
		from, to := part*k/parts, (part+1)*k/parts
		for j, end := 0, 0; j < width; j = end {
			if end = j + tileCols; end+tileCols/2 > width {
				end = width
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

// subtractWider is subtractBlock with the wider kernels, each row of y times its
// weight unless weights is nil.
func (f *arrowhead) subtractWider(s, x, y, weights []float64, k, height, width, ldx, ldy int, upper bool) {
	n := len(f.border)
	parts := (k + tileRows - 1) / tileRows
	for part := range parts {
		from, to := part*k/parts, (part+1)*k/parts
		wt := f.ones[:to-from]
		if weights != nil {
			wt = weights[from:to]
		}
		for i := 0; i < height; i += packCols {
			rows := min(packCols, height-i)
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
func (f *arrowhead) packed(x []float64, ldx, cols, k int) []float64 {
	for r := range k {
		copy(f.pack[r*packCols:][:packCols], x[r*ldx:][:cols])
	}
	return f.pack
}
