//go:build lean

package dense

import (
	"context"
	"math"
)

// Inverse is the inverse of a, n × n in row-major order, which is not changed, and its condition
// number in the 1-norm; inverse is nil where a is singular to rounding. It is by Gauss-Jordan
// elimination with partial pivoting: LAPACK's factors take 1 % of a program that runs in a browser.
func Inverse(ctx context.Context, n int, a []float64) (inverse []float64, cond float64, err error) {
	left, right := append([]float64(nil), a...), make([]float64, n*n)
	for i := range n {
		right[i*n+i] = 1
	}
	for k := range n {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		p := k
		for i := k + 1; i < n; i++ {
			if math.Abs(left[i*n+k]) > math.Abs(left[p*n+k]) {
				p = i
			}
		}
		pivot := left[p*n+k]
		if pivot == 0 || math.IsNaN(pivot) {
			return nil, math.Inf(1), nil
		}
		for _, m := range [][]float64{left, right} {
			own, other := m[k*n:][:n], m[p*n:][:n]
			for j, v := range other {
				other[j], own[j] = own[j], v
			}
			for j := range own {
				own[j] /= pivot
			}
		}
		for i := range n {
			by := left[i*n+k]
			if i == k || by == 0 {
				continue
			}
			for j := range n {
				left[i*n+j] -= by * left[k*n+j]
				right[i*n+j] -= by * right[k*n+j]
			}
		}
	}
	if cond = norm1(n, a) * norm1(n, right); !(cond < 1/epsilon) {
		return nil, cond, nil
	}
	return right, cond, nil
}

// norm1 is the largest sum of sizes in a column.
func norm1(n int, a []float64) float64 {
	top := 0.0
	for j := range n {
		sum := 0.0
		for i := range n {
			sum += math.Abs(a[i*n+j])
		}
		top = math.Max(top, sum)
	}
	return top
}
