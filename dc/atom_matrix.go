package dc

import (
	"errors"

	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/matrix"
	"github.com/dcopt/dcopt/internal/expr/rule"
)

// LambdaMax is the largest eigenvalue of a symmetric matrix. Where it is multiple
// the subgradient belongs to one eigenvector.
//
//	arguments  a: a symmetric matrix, n × n
//	curvature  convex
//	sign       any
//	monotone   a: nondecreasing in the Löwner order
//	domain     all
//	takes      affine
//	refuses    matrices that are not symmetric as functions
//	form       semidefinite cone of order n
//	source     Boyd and Vandenberghe 2004, section 4.6.3
func LambdaMax(a Expr) Expr { return LambdaSumLargest(a, 1) }

// LambdaMin is the smallest eigenvalue of a symmetric matrix.
//
//	arguments  a: a symmetric matrix, n × n
//	curvature  concave
//	sign       any
//	monotone   a: nondecreasing in the Löwner order
//	domain     all
//	takes      affine
//	refuses    matrices that are not symmetric as functions
//	form       semidefinite cone of order n
//	source     Boyd and Vandenberghe 2004, section 4.6.3
func LambdaMin(a Expr) Expr { return LambdaMax(a.Neg()).Neg() }

// LambdaSumLargest is the sum of the k largest eigenvalues of a symmetric matrix; for
// k = n it is the trace, which is affine.
//
//	arguments  a: a symmetric matrix, n × n; 1 ≤ k ≤ n
//	curvature  convex; affine for k = n
//	sign       any
//	monotone   a: nondecreasing in the Löwner order
//	domain     all
//	takes      affine
//	refuses    matrices that are not symmetric as functions; k < 1 or k > n
//	form       semidefinite cones, two of order n
//	source     Alizadeh 1995, section 4
func LambdaSumLargest(a Expr, k int) Expr {
	return a.as(func(a expr.Array) expr.Scalar { return matrix.LambdaSumLargest(a, k) })
}

func matrixAtoms() []constructor {
	return []constructor{
		{op: "lambda_max", args: 1, make: of(LambdaMax)},
		{op: "lambda_min", args: 1, make: of(LambdaMin)},
		{op: "lambda_sumlargest", args: 1, data: 1, make: func(args []Expr, data []float64) Expr {
			k, err := rule.Whole("lambda_sumlargest", data[0])
			if err != nil {
				return wrong(err)
			}
			return LambdaSumLargest(args[0], k)
		}},
		{op: "logdet", args: 1, make: of(LogDet)},
		{op: "matfrac", args: 2, make: ofTwo(MatFrac)},
		{op: "sigma_max", args: 1, make: of(SpectralNorm)},
		{op: "normnuc", args: 1, make: of(NuclearNorm)},
	}
}

// LogDet is the logarithm of the determinant of a symmetric matrix, which it
// restricts to positive definite ones.
//
//	arguments  a: a symmetric matrix, n × n
//	curvature  concave
//	sign       any
//	monotone   a: nondecreasing in the Löwner order
//	domain     a positive definite
//	takes      affine
//	refuses    matrices that are not symmetric as functions; data that are not positive definite
//	form       semidefinite cone of order 2n and n exponential cones
//	source     Ben-Tal and Nemirovski 2001, section 4.2
func LogDet(a Expr) Expr { return a.as(matrix.LogDet) }

// MatFrac is xᵀP⁻¹x for a symmetric matrix P, which it restricts to positive
// definite ones; of a matrix X the trace of XᵀP⁻¹X. In a sum, terms over the same P
// become one.
//
//	arguments  x: a vector with n entries or a matrix, n × k; p: a symmetric matrix, n × n
//	curvature  convex
//	sign       nonnegative
//	monotone   x: none; p: nonincreasing in the Löwner order
//	domain     p positive definite
//	takes      affine
//	refuses    shapes that do not fit; a p that is not symmetric as a function, or of data and not positive definite
//	form       semidefinite cone of order n + k; quadratic for a p of data
//	source     Boyd and Vandenberghe 2004, example 3.4
func MatFrac(x, p Expr) Expr {
	if err := errors.Join(x.Err(), p.Err()); err != nil {
		return wrong(err)
	}
	return number(matrix.MatFraction(x.list(), p.list()))
}

// Semidefinite states that a symmetric matrix is positive semidefinite.
func Semidefinite(a Expr) Constraint { return GE(LambdaMin(a), Num(0)) }

// SpectralNorm is the largest singular value of a matrix.
//
//	arguments  a: a matrix, m × n; a vector counts as one column
//	curvature  convex
//	sign       nonnegative
//	monotone   a: none, by sign for a vector
//	domain     all
//	takes      affine
//	refuses    arrays with more than two dimensions
//	form       semidefinite cone of order m + n; two of order n for symmetric a; second-order cone for vectors
//	source     Recht, Fazel and Parrilo 2010, section 2
func SpectralNorm(a Expr) Expr {
	return a.as(func(a expr.Array) expr.Scalar { return matrix.Singular("sigma_max", a, false) })
}

// NuclearNorm is the sum of the singular values of a matrix.
//
//	arguments  a: a matrix, m × n; a vector counts as one column
//	curvature  convex
//	sign       nonnegative
//	monotone   a: none, by sign for a vector
//	domain     all
//	takes      affine
//	refuses    arrays with more than two dimensions
//	form       semidefinite cone of order m + n; two of order n for symmetric a; second-order cone for vectors
//	source     Recht, Fazel and Parrilo 2010, section 2
func NuclearNorm(a Expr) Expr {
	return a.as(func(a expr.Array) expr.Scalar { return matrix.Singular("normnuc", a, true) })
}
