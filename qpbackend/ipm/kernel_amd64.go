//go:build amd64 && !purego

package ipm

// The loops of sides with AVX2, four entries at a time: n > 0 is a multiple of
// four. They round as the loops in Go do, and check no bounds.

//go:noescape
func wideWeights(wt, s, z *float64, δ float64, n int)

//go:noescape
func wideRight(b, t, rp, rc, z, wt, sgn *float64, n int)

//go:noescape
func wideSlacks(ds, s, z, rp, rc, dz *float64, δ float64, n int)

// wideLeast is the least of zero and the quotients d/v.
//
//go:noescape
func wideLeast(d, v *float64, n int) float64

//go:noescape
func wideProducts(s, z, ds, dz *float64, αp, αd float64, n int) float64

// wideNorm is the largest |v|, and whether all entries are numbers.
//
//go:noescape
func wideNorm(v *float64, n int) (top float64, number bool)
