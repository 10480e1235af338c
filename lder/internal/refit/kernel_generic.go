//go:build !amd64 || purego

package refit

// The kernels for wide registers are never called here: cpu.Wide is false.

func wideProducts(v, coef, x *float64, k, n, width int) {}

func wideProbe(v, c, y, w *float64, width, r1, k, hinge int, loss *[7]float64) {}

func wideRegions(v, c *float64, step float64, y, w *float64, width, r1, k, hinge int, region *int32) (loss float64) {
	return 0
}

func wideMoves(sums *float64, size int, old, new, moved *int32, x, y, w *float64, rows, n, ld int) {}

func wideAddBlock(dst *float64, ldd int, src *float64, rows, ld int, sign float64) {}

func wideCholesky(u *float64, size, ld int) bool { return false }

func wideBack(x, u *float64, size, ld int) {}
