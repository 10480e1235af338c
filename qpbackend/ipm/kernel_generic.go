//go:build !amd64 || purego

package ipm

// None of these is ever called here: cpu.Wide is false.

func wideWeights(wt, s, z *float64, δ float64, n int) {}

func wideRight(b, t, rp, rc, z, wt, sgn *float64, n int) {}

func wideTimes(dz, wt, dv, b *float64, n int) {}

func wideSlacks(ds, s, z, rp, rc, dz *float64, δ float64, n int) {}

func wideLeast(d, v *float64, n int) float64 { return 0 }

func wideAffine(rc, s, z *float64, n int) {}

func wideCentred(rc, s, z, ds, dz *float64, σμ float64, n int) {}

func wideProducts(s, z, ds, dz *float64, αp, αd float64, n int) float64 { return 0 }

func wideMove(v, d *float64, α float64, n int) {}

func wideNorm(v *float64, n int) (top float64, number bool) { return 0, true }
