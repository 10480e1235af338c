package rule

import (
	"context"
	"errors"
	"math"
	"reflect"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/internal/expr"
	"gonum.org/v1/gonum/mat"
)

// Quad is aᵀQa, split by the eigenvalues of Q, see dc.Quad.
func Quad(ctx context.Context, a convex.Array, q mat.Symmetric) expr.Scalar {
	if IsNil(q) {
		return expr.Failed("quad of a matrix that is nil")
	}
	n := q.SymmetricDim()
	if n != a.Len() {
		return expr.Failed("quad of %d entries with a matrix of order %d", a.Len(), n)
	}
	if e, ok := diagonalQuad(a, q); ok {
		return e
	}
	if n > LargeForm {
		return largeQuad(ctx, a, q)
	}
	for _, sign := range []float64{1, -1} { // a factorisation takes a 27th of the operations of the eigenvalues
		definite, err := definiteOf(ctx, q, sign)
		if err != nil {
			return expr.Scalar{Err: err}
		}
		if definite {
			return newQuad(a, timesSign(q, sign)).Scale(sign)
		}
	}
	λ, v, ok, err := dense.Eigen(ctx, q)
	if err != nil {
		return expr.Scalar{Err: err}
	}
	if !ok {
		return expr.Scalar{Err: errors.New("dc: quad: the eigenvalues of the matrix cannot be computed; is it finite?")}
	}
	tol := expr.DefiniteTol * float64(n) * max(math.Abs(λ[0]), math.Abs(λ[n-1]))
	switch {
	case math.IsNaN(tol):
		return expr.Scalar{Err: errors.New("dc: quad: the matrix holds a NaN")}
	case λ[0] >= -tol:
		return newQuad(a, q)
	case λ[n-1] <= tol:
		var neg mat.SymDense
		neg.ScaleSym(-1, q)
		return newQuad(a, &neg).Neg()
	}
	var plus, minus mat.SymDense
	spectralPart(&plus, λ, v, 1)
	spectralPart(&minus, λ, v, -1)
	s := expr.AddSplits([]expr.Split{*newQuad(a, &plus).Split(), *newQuad(a, &minus).Split()}, 1, -1)
	return splitQuad(a, q, s)
}

// IsNil reports whether v is nil or holds a nil pointer.
func IsNil(v any) bool {
	r := reflect.ValueOf(v)
	return !r.IsValid() || r.Kind() == reflect.Pointer && r.IsNil()
}

// definiteOf reports whether sign·Q is positive semidefinite, up to a part of its largest
// diagonal entry, which is at most the largest eigenvalue. False: it may be.
func definiteOf(ctx context.Context, q mat.Symmetric, sign float64) (bool, error) {
	most := 0.0
	for i := range q.SymmetricDim() {
		d := sign * q.At(i, i)
		if !(d >= 0) {
			return false, nil
		}
		most = max(most, d)
	}
	if math.IsInf(most, 1) {
		return false, nil
	}
	return factors(ctx, q, sign, expr.DefiniteTol*float64(q.SymmetricDim())*most)
}
