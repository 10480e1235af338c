//go:build amd64 && !purego

package equil

// The kernels work on n ≥ 1 entries, with AVX2, and check no bounds.

// wideNorms raises norm to e·|v|·d and returns the largest of these.
//
//go:noescape
func wideNorms(v, d, norm *float64, e float64, n int) float64
