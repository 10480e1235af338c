//go:build amd64 && !purego

package kkt

// wideTile subtracts xᵀy from c, four rows with cols columns, 0 < cols ≤ 8. x
// and y have as many rows as given, at least one. ldc, ldx and ldy are the
// distances of rows. It uses AVX2 and FMA and checks no bounds.
//
//go:noescape
func wideTile(c, x, y *float64, ldc, ldx, ldy, rows, cols int)

// widerTile does the same for height rows of c, 0 < height ≤ 8, and cols ≤ 24
// columns, with AVX-512, each row of y times its weight. It reads eight columns
// of x whatever the height.
//
//go:noescape
func widerTile(c, x, y, weights *float64, ldc, ldx, ldy, rows, height, cols int)

// widerColumn is widerTile for at most eight columns.
//
//go:noescape
func widerColumn(c, x, y, weights *float64, ldc, ldx, ldy, rows, height, cols int)

// The following work on n ≥ 1 entries, with AVX2 and FMA, and check no bounds.

// wideAxpy adds α·x to dst.
//
//go:noescape
func wideAxpy(dst, x *float64, α float64, n int)

// wideDot is Σ x·y.
//
//go:noescape
func wideDot(x, y *float64, n int) float64

// wideDotAxpy is Σ v·x; it adds α·v to dst.
//
//go:noescape
func wideDotAxpy(v, x, dst *float64, α float64, n int) float64
