//go:build amd64 && !purego

package ldl

// The kernels below need cpu.Wide. They check no bounds.

// wideTile sets sum to what tile returns, up to rounding.
//
//go:noescape
func wideTile(a, b *float64, ld, n int, sum *[8]float64)

// wideMul sets y to the product of a panel of 4·groups rows, groups > 0, with x.
//
//go:noescape
func wideMul(panel *float64, groups, width int, x, y *float64)

// wideSubMulT subtracts from x the product of the transposed panel, of 4·groups
// rows, groups > 0, with y.
//
//go:noescape
func wideSubMulT(panel *float64, groups, width int, y, x *float64)
