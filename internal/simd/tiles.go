package simd

// Tiles are those that dense products and factors are made of: up to High rows and Wide columns.
// Both kinds round alike.
type Tiles struct{ High, Wide int }

// TilesOf are the largest tiles of a processor, with AVX-512 or without. Source: 4 × 12 float64 are
// twelve of the sixteen registers of AVX2, which leaves those for a row of y and an entry of x; 8 ×
// 24 are 24 of the 32 of AVX-512.
func TilesOf(wider bool) Tiles {
	if wider {
		return Tiles{8, 24}
	}
	return Tiles{4, 12}
}

// Subtract is SubtractTile for as many rows and columns as there are in a tile.
func (t Tiles) Subtract(c, x, y *float64, ldc, rowx, stepx, ldy, k, height, cols int) {
	if t.High == 8 && (height > 4 || cols > 8 && cols != 12) {
		SubtractWiderTile(c, x, y, ldc, rowx, stepx, ldy, k, height, cols)
		return
	}
	SubtractTile(c, x, y, ldc, rowx, stepx, ldy, k, height, cols)
}

// Solve is SolveRows for as many rows at a time as there are in a tile.
func (t Tiles) Solve(rows, l, inverse, solved *float64, ld, height, cols, open int) {
	if t.High == 8 {
		SolveWiderRows(rows, l, inverse, solved, ld, height, cols, open)
		return
	}
	SolveRows(rows, l, inverse, solved, ld, height, cols, open)
}

// Beyond is how many entries SolveRows and SubtractWiderRows read at most beyond their rows.
// Source: derived: seven rows of 64 entries, and seven entries of the one after them.
const Beyond = 7*64 + 7
