//go:build !amd64 || purego

package simd

// Have is for builds without kernels.
const Have = false

// No kernel is ever called here: cpu.Wide is false.

func Weights(wt, s, z *float64, δ float64, n int) {}

func Targets(b, t, rp, rc, z, wt, sgn *float64, n int) {}

func Slacks(ds, s, z, rp, rc, dz *float64, δ float64, n int) {}

func Centre(rc, s, z, ds, dz *float64, σμ float64, n int) {}

func Advance(v, d *float64, α float64, n int) {}

func LeastRatio(d, v *float64, n int) float64 { return 0 }

func Products(s, z, ds, dz *float64, αp, αd float64, n int) float64 { return 0 }

func NormInf(v *float64, n int) (top float64, number bool) { return 0, true }

func Balance(f, v *float64, least, most float64, n int) (done int, change float64) { return 0, 0 }

func SubtractTile(c, x, y *float64, ldc, rowx, stepx, ldy, k, height, cols int) {}

func SubtractWiderTile(c, x, y *float64, ldc, rowx, stepx, ldy, k, height, cols int) {}

func Weighted(dst, src, weights *float64, ldd, ld, step, count, cols int) {}

func Axpy(dst, x *float64, α float64, n int) {}

func Dot(x, y *float64, n int) float64 { return 0 }

func DotAxpy(v, x, dst *float64, α float64, n int) float64 { return 0 }

func Gather(sum *[8]float64, x *float64, at *int32, u *float64, n int) {}

func Rotate(z, turns *float64, ld, count int) {}

func RotateWider(z, turns *float64, ld, count int) {}

func Tile(a, b *float64, ld, n int, sum *[8]float64) {}

func SolveRows(rows, l, inverse, solved *float64, ld, height, cols, open int) {}

func SolveWiderRows(rows, l, inverse, solved *float64, ld, height, cols, open int) {}

func SubtractWiderRows(val *float64, at *int, x, y *float64, ldx, ldy, k, rows, cols, fused int) {}

func PackWider(dst, src, weights *float64, ldd, ld, k, mask int) {}

func MulPanel(panel *float64, groups, width int, x, y *float64) {}

func SubtractMulPanelT(panel *float64, groups, width int, y, x *float64) {}

func SubtractPanel(panel *float64, groups, width int, own, x *float64, rows *int32) {}

func SubtractWiderPanelT(panel *float64, groups, width int, own, x *float64, rows *int32) {}

func Pieces(v, coef, x *float64, k, n, width int) {}

func Probe(v, c, y, w, steps *float64, width, r1, k, hinge int, loss *[7]float64) {}

func Regions(v, c *float64, step float64, y, w *float64, width, r1, k, hinge int, region *int32) (loss float64) {
	return 0
}

func Moves(sums *float64, size int, old, new, moved *int32, x, y, w *float64, rows, n, ld int) {}

func Standardise(z, columns, x, fill, mean, inverse *float64, rows, ld int) {}

func Gram(sums, z, w *float64, order *int32, count, ld int) {}

func Cholesky(u *float64, size, ld int) bool { return false }

func AddBlock(dst *float64, ldd int, src *float64, rows, ld int, sign float64) {}
