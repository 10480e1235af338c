package sensitivity

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
)

// operator is a linear map.
type operator func(ctx context.Context, v []float64) ([]float64, error)

// Of the Krylov space. Source: derived: the procedure converges by the same operator, so a point to
// which it has converged needs few steps; with eigenvalues below 0.99 the residual falls by
// e^(-0.2) a step.
const (
	mostKrylov = 300
	accurate   = 1e-11 // of the right-hand side may be left over,
	missed     = 1e-6  // and this much where no more can be done
)

var errSingular = errors.New("ccp: no derivative: the linearised conditions are singular at the point, or nearly")

// resolve solves u = b + T·u by GMRES. The error is errSingular where T has the eigenvalue one, or
// nearly.
func resolve(ctx context.Context, b []float64, t operator) ([]float64, error) {
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
		tv, err := t(ctx, basis[k])
		if err != nil {
			return nil, err
		}
		w := slices.Clone(basis[k])
		num.Axpy(w, -1, tv)
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
			return nil, errSingular
		}
		cos, sin = append(cos, h[k]/length), append(sin, h[k+1]/length)
		next := h[k+1]
		h[k] = length
		rhs = append(rhs, -sin[k]*rhs[k])
		rhs[k] *= cos[k]
		r = append(r, h[:k+1])
		if math.Abs(rhs[k+1]) <= accurate*size || next <= accurate || k+1 == mostKrylov || k+1 == len(b) {
			if math.Abs(rhs[k+1]) > missed*size {
				return nil, errSingular
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

// lost is the length, relative to the eigenvalues, of a vector of rounding errors alone. Source:
// derived: half the digits of float64.
const lost = 0x1p-26

// contracts reports whether the largest eigenvalue of GH is below one, by the method of Lanczos
// from v: GH is symmetric in the inner product of H, of which the vectors are orthonormal.
func contracts(ctx context.Context, v []float64, g, h operator) (bool, error) {
	var vs, hs [][]float64 // and their products with H
	var on, beside []float64
	last := math.Inf(1)
	hv, err := h(ctx, v)
	for err == nil && len(vs) < len(v) { // until the eigenvalue settles
		size := math.Sqrt(num.Dot(v, hv))
		if len(vs) > 0 {
			beside = append(beside, size)
		}
		if !(size > lost*max(num.NormInf(beside), num.NormInf(on))) {
			break // v is made of those before, or H knows nothing of it
		}
		num.Scale(v, 1/size)
		num.Scale(hv, 1/size)
		vs, hs = append(vs, v), append(hs, hv)
		if v, err = g(ctx, hv); err == nil {
			hv, err = h(ctx, v)
		}
		if err != nil {
			break
		}
		on = append(on, num.Dot(v, hs[len(hs)-1]))
		for k := len(vs) - 1; k >= 0; k-- {
			w := -num.Dot(v, hs[k])
			num.Axpy(v, w, vs[k])
			num.Axpy(hv, w, hs[k])
		}
		top := largestEigenvalue(on, beside)
		if top >= 1-leastMargin || math.Abs(top-last) <= 0.01*(1-top) {
			return top < 1-leastMargin, nil
		}
		last = top
	}
	return true, err
}

// largestEigenvalue is that of a symmetric tridiagonal matrix, with on the diagonal and beside it,
// by bisection: where σ is above all eigenvalues, the pivots of the matrix less σ are below zero.
func largestEigenvalue(on, beside []float64) float64 {
	lo := slices.Max(on)
	hi := lo + 2*num.NormInf(beside[:len(on)-1])
	for {
		σ := lo + (hi-lo)/2
		if σ <= lo || σ >= hi {
			return lo
		}
		pivot := on[0] - σ
		for k := 1; k < len(on) && pivot < 0; k++ {
			pivot = on[k] - σ - beside[k-1]*beside[k-1]/pivot
		}
		if pivot < 0 {
			hi = σ
		} else {
			lo = σ
		}
	}
}
