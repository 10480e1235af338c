//go:build !lean

package dense

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Inverse is the inverse of a, n × n in row-major order, which is not changed, and the
// estimate of its condition number; inverse is nil where a is singular to rounding. The
// work consists of calls of gonum, as in Eigen.
func Inverse(ctx context.Context, n int, a []float64) (inverse []float64, cond float64, err error) {
	type result struct {
		inverse []float64
		cond    float64
		err     error // of ctx
	}
	r, err := Await(ctx, func() (r result) {
		var lu mat.LU
		lu.Factorize(mat.NewDense(n, n, a))
		if r.cond, r.err = lu.Cond(), ctx.Err(); !(r.cond < 1/epsilon) || r.err != nil {
			return r
		}
		one := mat.NewDense(n, n, nil)
		for i := range n {
			one.Set(i, i, 1)
		}
		out := mat.NewDense(n, n, nil)
		if lu.SolveTo(out, false, one) == nil {
			r.inverse = out.RawMatrix().Data
		}
		return r
	})
	if err == nil {
		err = r.err
	}
	return r.inverse, r.cond, err
}
