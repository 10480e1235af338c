package project

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/matrix"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend/internal/packed"
)

// Semidefinite projects on the positive semidefinite matrices: v is the upper
// triangle of a symmetric matrix, column by column, with the entries off the
// diagonal times √2. It allocates for orders above one. It returns false, and leaves dst
// alone, where ctx has ended before.
func Semidefinite(ctx context.Context, dst, v []float64) bool {
	top, k := num.NormInf(v), packed.Order(len(v))
	switch {
	case !num.Finite(top):
		fill(dst, math.NaN())
		return true
	case k == 1:
		dst[0] = max(v[0], 0)
		return true
	case top == 0:
		clear(dst)
		return true
	}
	mul := matrix.NewProduct()
	mul.Within(ctx)
	if mul.Ends(k * k * k) {
		return false
	}
	_, exp := math.Frexp(top)
	a := make([]float64, k*k)
	half, rest := math.Ldexp(1, -exp/2), math.Ldexp(1, exp/2-exp) // either is a number
	load := func(sign float64) {
		packed.Unpack(a, v, k)
		for i, e := range a {
			a[i] = sign * e * half * rest
		}
	}
	if load(1); mul.Cholesky(a, k) { // positive definite: nothing to do
		copy(dst, v)
		return true
	}
	if load(-1); mul.Cholesky(a, k) { // negative definite: nothing is left
		clear(dst)
		return true
	}
	if mul.Ends(0) {
		return false
	}
	load(1)
	λ, ok := matrix.Eigen(ctx, a, k)
	if !ok {
		if ctx.Err() != nil {
			return false
		}
		fill(dst, math.NaN())
		return true
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
	roots, sum := make([]float64, (to-from)*k), make([]float64, k*k)
	for l := from; l < to; l++ {
		f := math.Sqrt(math.Abs(λ[l]))
		for i := range k {
			roots[(l-from)*k+i] = f * a[i*k+l]
		}
	}
	mul.MulTSymmetric(sum, roots, roots, to-from, k)
	if mul.Ends(0) {
		return false
	}
	at := 0
	for j := range k {
		for i := range j + 1 {
			e := sum[i*k+j]
			if i != j {
				e *= math.Sqrt2
			}
			e = math.Ldexp(e, exp)
			if sign < 0 { // v minus its negative part
				e += v[at]
			}
			dst[at] = e
			at++
		}
	}
	return true
}
