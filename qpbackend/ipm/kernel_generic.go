//go:build !amd64 || purego

package ipm

// None of these is ever called here: cpu.Wide is false.

func wideWeights(wt, s, z *float64, δ float64, n int) {}

func wideRight(b, t, rp, rc, z, wt, sgn *float64, n int) {}

func wideSlacks(ds, s, z, rp, rc, dz *float64, δ float64, n int) {}

func wideLeast(d, v *float64, n int) float64 { return 0 }

func wideProducts(s, z, ds, dz *float64, αp, αd float64, n int) float64 { return 0 }

func wideNorm(v *float64, n int) (top float64, number bool) { return 0, true }
