package dc

import (
	"context"
	"errors"
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"gonum.org/v1/gonum/mat"
)

// Quad is aᵀQa. An indefinite Q is split by its eigenvalues: Q = Q₊ − Q₋, both
// positive semidefinite; one of an order above 600 by a multiple of the identity.
//
//	arguments  a: an array with n entries; q: symmetric, n × n
//	curvature  convex for positive semidefinite Q, concave for negative semidefinite, else DC
//	sign       nonnegative for positive semidefinite Q, nonpositive for negative semidefinite, else any
//	monotone   a: none
//	domain     all
//	takes      affine
//	refuses    another order of Q than a has entries; entries that are NaN or infinite
//	form       quadratic
//	source     Boyd and Vandenberghe 2004, section 4.4
func Quad(a Expr, q mat.Symmetric) Expr { return QuadContext(context.Background(), a, q) }

// QuadContext is Quad. Where ctx ends before the matrix is split, the error of the
// expression is ctx.Err(): within half a second for orders of some thousands.
//
//	as         Quad
func QuadContext(ctx context.Context, a Expr, q mat.Symmetric) Expr {
	if a.err == nil && a.bent() {
		return failed("quad needs affine entries")
	}
	return a.as(func(a array) scalar { return quadContext(ctx, a.Array, q) })
}

func quadContext(ctx context.Context, a convex.Array, q mat.Symmetric) scalar {
	if isNil(q) {
		return badExpr("quad of a matrix that is nil")
	}
	n := q.SymmetricDim()
	if n != a.Len() {
		return badExpr("quad of %d entries with a matrix of order %d", a.Len(), n)
	}
	if e, ok := diagonalQuad(a, q); ok {
		return e
	}
	if n > largeForm {
		return largeQuad(ctx, a, q)
	}
	λ, v, ok, err := dense.Eigen(ctx, q)
	if err != nil {
		return scalar{err: err}
	}
	if !ok {
		return scalar{err: errors.New("dc: quad: the eigenvalues of the matrix cannot be computed; is it finite?")}
	}
	tol := definiteTol * float64(n) * max(math.Abs(λ[0]), math.Abs(λ[n-1]))
	switch {
	case math.IsNaN(tol):
		return scalar{err: errors.New("dc: quad: the matrix holds a NaN")}
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
	s := addSplits([]split{*newQuad(a, &plus).split(), *newQuad(a, &minus).split()}, 1, -1)
	return node(splitQuad(a, q, s), a.Of)
}

func formAtoms() []constructor {
	return []constructor{
		{op: opQuad, args: 1, data: -1, make: func(args []Expr, data []float64) Expr {
			n := args[0].Len()
			if len(data) != n*n {
				return failed("quad of %d entries with %d numbers, want a matrix of order %d", n, len(data), n)
			}
			for i := range n {
				for j := range i {
					if data[i*n+j] != data[j*n+i] {
						return failed("quad: the matrix has %g and %g at (%d, %d) and its mirror, counted from 0",
							data[i*n+j], data[j*n+i], i, j)
					}
				}
			}
			return Quad(args[0], mat.NewSymDense(n, data))
		}},
	}
}
