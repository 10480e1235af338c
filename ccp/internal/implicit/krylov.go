package implicit

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
)

// Of the Krylov space. Source: derived: the operator is that of the procedure's own convergence, so that
// a point it has converged to needs few; with eigenvalues below .99 the residual falls by e^(-0.2) a step.
const (
	mostKrylov = 300
	accurate   = 1e-11 // of the right-hand side may be left over,
	missed     = 1e-6  // and this much where no more can be done
)

// ErrSingular is the error of Resolve for an operator with the eigenvalue one, or nearly.
var ErrSingular = errors.New("ccp: no derivative: the linearised conditions are singular at the point, or nearly")

// Resolve solves u = b + T·u for the operator T by GMRES.
func Resolve(ctx context.Context, b []float64, apply func(context.Context, []float64) ([]float64, error)) ([]float64, error) {
	size := num.Norm2(b)
	if size == 0 {
		return slices.Clone(b), nil
	}
	v := slices.Clone(b)
	num.Scale(v, 1/size)
	basis := [][]float64{v}
	var r [][]float64 // columns of the triangular factor
	var cos, sin []float64
	rhs := []float64{size}
	for k := 0; ; k++ {
		t, err := apply(ctx, basis[k])
		if err != nil {
			return nil, err
		}
		w := slices.Clone(basis[k])
		num.Axpy(w, -1, t)
		h := make([]float64, k+2)
		for range 2 {
			for i, q := range basis {
				e := num.Dot(q, w)
				h[i] += e
				num.Axpy(w, -e, q)
			}
		}
		h[k+1] = num.Norm2(w)
		for i := range k {
			h[i], h[i+1] = cos[i]*h[i]+sin[i]*h[i+1], cos[i]*h[i+1]-sin[i]*h[i]
		}
		length := math.Hypot(h[k], h[k+1])
		if !(length > accurate) {
			return nil, ErrSingular
		}
		cos, sin = append(cos, h[k]/length), append(sin, h[k+1]/length)
		next := h[k+1]
		h[k] = length
		rhs = append(rhs, -sin[k]*rhs[k])
		rhs[k] *= cos[k]
		r = append(r, h[:k+1])
		if math.Abs(rhs[k+1]) <= accurate*size || next <= accurate || k+1 == mostKrylov || k+1 == len(b) {
			if math.Abs(rhs[k+1]) > missed*size {
				return nil, ErrSingular
			}
			break
		}
		num.Scale(w, 1/next)
		basis = append(basis, w)
	}
	u := make([]float64, len(b))
	for i := len(r) - 1; i >= 0; i-- {
		for j := i + 1; j < len(r); j++ {
			rhs[i] -= r[j][i] * rhs[j]
		}
		rhs[i] /= r[i][i]
		num.Axpy(u, rhs[i], basis[i])
	}
	return u, nil
}
