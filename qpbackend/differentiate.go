package qpbackend

import "context"

// Differentiator is a Solver that differentiates the solutions it finds. A caller asks for it
// by a type assertion; ipm has it.
type Differentiator interface {
	Solver
	// Differentiate linearises the optimality conditions at the solution of the last
	// Solve. The Derivative is good until the next call of a method of the Solver, and
	// for one goroutine. Errors: there is no solution on the present values, as no Solve
	// ended with status Solved or AlmostSolved, or Update came after it; the context ended.
	Differentiate(ctx context.Context) (Derivative, error)
	// DifferentiateAt is Differentiate at a solution on the present values that comes from
	// elsewhere: x, y and z as a Result has them. Where it is no solution, Residual of the
	// Regularity says so.
	DifferentiateAt(ctx context.Context, x, y, z []float64) (Derivative, error)
}

// Derivative is the derivative of the map from the values of a problem to its primal and
// dual solution, by the implicit function theorem on the optimality conditions, with the
// derivatives of the projections on the cones (Agrawal, Barratt, Boyd, Busseti, Moursi,
// Differentiating through a cone program, J. Appl. Numer. Optim. 1 (2019) 107-115).
//
// Changes of the problem and gradients have the form of an Update: P and A entry by entry
// in the order in which they are stored, nil for zeros. An entry of P off the diagonal
// stands for both of its places in the matrix. On a row with l = u, and for a variable
// with lo = hi, the two sides move together: by the mean of their changes, and a gradient
// is divided between both. The side that is not active has no influence. On the rows of a cone L
// is the offset and U is not looked at.
type Derivative interface {
	// Forward sets dst to the change of the solution along the change d of the values,
	// per unit. It reuses the slices of dst. Errors: a wrong length, a number that is not
	// finite, a context that ended.
	Forward(ctx context.Context, d Update, dst *Tangent) error
	// Adjoint sets dst to the gradient, with respect to the values, of a scalar function of
	// the solution with the gradient g: of length n, m and n, nil for zeros. It reuses the
	// slices of dst. Errors as for Forward.
	Adjoint(ctx context.Context, g Tangent, dst *Update) error
	// Point is the solution at which the derivative is taken: the point of Solve, refined by
	// Newton steps. The slices are the derivative's own; Missed is 0.
	Point() Tangent
	// Regularity says whether there is a derivative.
	Regularity() Regularity
}

// Tangent is a change of a point X, Y, Z of a Result, or a gradient with respect to it.
type Tangent struct {
	X, Y, Z []float64
	// Missed is, of a change from Forward, the largest part of the linearised optimality
	// conditions that no change of the solution meets, relative to the right-hand side in
	// the scaled problem: 0 where they are not singular.
	Missed float64
}

// Regularity says whether the solution is a differentiable function of the values: it is
// where the solution and its multipliers are unique and strictly complementary. Where it is
// not, Forward and Adjoint are the derivatives of one of the smooth pieces that meet at the
// solution; where the linear system is singular they are the least squares
// solution of least norm, in the scaled problem.
type Regularity struct {
	Regular bool
	// Primal and Dual estimate the norms of the inverse of the linearised conditions, from
	// below, in the scaled problem: of the change of X for one of Q, and of the change of Y for
	// one of L and U. Regular asks for at most 1e5.
	Primal, Dual float64
	// Margin is the relative distance from the nearest kink: the least of the slacks of rows
	// without multiplier and of the multipliers of active rows, in cones of the distances
	// from the points where the projection has no derivative. Regular asks for 1e-6.
	Margin float64
	// Variable and Row say where the nearest kink is: at a bound of the variable, or at the row or
	// the first row of the cone. The other one, or both where nothing holds or may hold, is −1.
	Variable, Row int
	// Residual is the largest residual of the optimality conditions at the point of the
	// derivative, in the scaled problem. Regular asks for at most 1e-6.
	Residual float64
	// Message says which condition fails where Regular is false, and where that is.
	Message string
}
