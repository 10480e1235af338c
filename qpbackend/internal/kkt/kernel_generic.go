//go:build !amd64 || purego

package kkt

// None of the wide kernels is ever called here: cpu.Wide is false.

func wideTile(c, x, y *float64, ldc, ldx, ldy, rows, cols int) {}

func widerTile(c, x, y, weights *float64, ldc, ldx, ldy, rows, height, cols int) {}

func widerColumn(c, x, y, weights *float64, ldc, ldx, ldy, rows, height, cols int) {}

func wideAxpy(dst, x *float64, α float64, n int) {}

func wideDot(x, y *float64, n int) float64 { return 0 }

func wideDotAxpy(v, x, dst *float64, α float64, n int) float64 { return 0 }
