//go:build amd64 && !purego

package kkt

// wideTile subtracts xᵀy from c, four rows with cols columns, 0 < cols ≤ 8. x
// and y have as many rows as given, at least one. ldc, ldx and ldy are the
// distances of rows. It uses AVX2 and FMA and checks no bounds.
//
//go:noescape
func wideTile(c, x, y *float64, ldc, ldx, ldy, rows, cols int)

// hasWide reports whether this processor runs it.
func hasWide() bool
