//go:build !amd64 || purego

package kkt

// wideTile is never called here: hasWide is false.
func wideTile(c, x, y *float64, ldc, ldx, ldy, rows, cols int) {}

func hasWide() bool { return false }
