//go:build amd64 && !purego

package ipm

// The loops of sides with AVX2, four entries at a time: n > 0 is a multiple of
// four. They round as the loops in Go do, and check no bounds.

//go:noescape
func wideWeights(wt, s, z *float64, δ float64, n int)

//go:noescape
func wideRight(b, t, rp, rc, z, wt, sgn *float64, n int)

// wideTimes sets dz to wt·(dv − b).
//
//go:noescape
func wideTimes(dz, wt, dv, b *float64, n int)

//go:noescape
func wideSlacks(ds, s, z, rp, rc, dz *float64, δ float64, n int)

// wideLeast is the least of zero and the quotients d/v.
//
//go:noescape
func wideLeast(d, v *float64, n int) float64

//go:noescape
func wideAffine(rc, s, z *float64, n int)

//go:noescape
func wideCentred(rc, s, z, ds, dz *float64, σμ float64, n int)

//go:noescape
func wideProducts(s, z, ds, dz *float64, αp, αd float64, n int) float64

// wideMove adds α·d to v.
//
//go:noescape
func wideMove(v, d *float64, α float64, n int)

// wideNorm is the largest |v|, and whether all entries are numbers.
//
//go:noescape
func wideNorm(v *float64, n int) (top float64, number bool)
