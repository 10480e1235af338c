//go:build amd64 && !purego

package refit

// The kernels below need cpu.Wide. They check no bounds. What they are to
// compute is said of the portable ones of the same names; widths are multiples
// of 8, leading dimensions of 4.

//go:noescape
func wideProducts(v, coef, x *float64, k, n, width int)

//go:noescape
func wideProbe(v, c, y, w *float64, width, r1, k, hinge int, loss *[7]float64)

//go:noescape
func wideRegions(v, c *float64, step float64, y, w *float64, width, r1, k, hinge int, region *int32) (loss float64)

//go:noescape
func wideMoves(sums *float64, size int, old, new, moved *int32, x, y, w *float64, rows, n, ld int)

//go:noescape
func wideAddBlock(dst *float64, ldd int, src *float64, rows, ld int, sign float64)

//go:noescape
func wideCholesky(u *float64, size, ld int) bool

//go:noescape
func wideBack(x, u *float64, size, ld int)
