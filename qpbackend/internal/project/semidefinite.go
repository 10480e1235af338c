package project

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/dcopt/dcopt/internal/num"
)

// Order is the k of the k × k matrices whose scaled triangle has n entries, or
// −1 where n is not k(k+1)/2.
func Order(n int) int {
	k := int(math.Round((math.Sqrt(8*float64(n)+1) - 1) / 2))
	if k*(k+1)/2 != n {
		return -1
	}
	return k
}

// Semidefinite projects on the positive semidefinite matrices: v is the upper
// triangle of a symmetric matrix, column by column, with the entries off the
// diagonal times √2. It allocates for orders above one.
func Semidefinite(dst, v []float64) {
	top, k := num.NormInf(v), Order(len(v))
	switch {
	case !num.Finite(top):
		fill(dst, math.NaN())
		return
	case k == 1:
		dst[0] = max(v[0], 0)
		return
	}
	_, exp := math.Frexp(top)
	a := make([]float64, k*k)
	load := func() {
		at := 0
		for j := range k {
			for i := range j {
				a[i*k+j] = math.Ldexp(v[at], -exp) / math.Sqrt2
				at++
			}
			a[j*k+j] = math.Ldexp(v[at], -exp)
			at++
		}
	}
	var la gonum.Implementation
	load()
	if la.Dpotrf(blas.Upper, k, a, k) { // positive definite: nothing to do
		copy(dst, v)
		return
	}
	load()
	λ := make([]float64, k)
	var size [1]float64
	la.Dsyev(lapack.EVCompute, blas.Upper, k, a, k, λ, size[:], -1)
	work := make([]float64, max(int(size[0]), 3*k))
	if !la.Dsyev(lapack.EVCompute, blas.Upper, k, a, k, λ, work, len(work)) {
		fill(dst, math.NaN())
		return
	}
	// λ ascends. The sum is taken over the sign that has fewer eigenvalues.
	negative := 0
	for negative < k && λ[negative] < 0 {
		negative++
	}
	from, to, sign := negative, k, 1.0
	if 2*negative < k {
		from, to, sign = 0, negative, -1
	}
	at := 0
	for j := range k {
		for i := range j + 1 {
			sum := 0.0
			for l := from; l < to; l++ {
				sum += λ[l] * a[i*k+l] * a[j*k+l]
			}
			sum *= sign
			if i != j {
				sum *= math.Sqrt2
			}
			sum = math.Ldexp(sum, exp)
			if sign < 0 { // v minus its negative part
				sum += v[at]
			}
			dst[at] = sum
			at++
		}
	}
}
