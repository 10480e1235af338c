//go:build !amd64 || purego

package ldl

// The kernels for wide registers are never called here: cpu.Wide is false.

func wideTile(a, b *float64, ld, n int, sum *[8]float64) {}

func wideMul(panel *float64, groups, width int, x, y *float64) {}

func wideSubMulT(panel *float64, groups, width int, y, x *float64) {}
