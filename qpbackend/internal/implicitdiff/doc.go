// Package implicitdiff differentiates the solution of a quadratic program with cones by the
// implicit function theorem.
//
// With Π the projection on the sides of a row or on a cone, s the slacks, y the multipliers and w =
// s + y, the optimality conditions are
//
//	Px + q + Aᵀ(w − Π(w)) = 0,   Ax − Π(w) = 0,
//
// and the same for bounds of variables, with the identity for A. Where Π has the derivative
// D = U diag(d) Uᵀ at w, 0 ≤ d ≤ 1, a change b₁, b₂ of the left-hand sides moves x by dx and y
// by dy = U diag(√(1−d)) t,
//
//	⎡ P    Âᵀ ⎤ ⎡dx⎤     ⎡ b₁              ⎤
//	⎣ Â   −d  ⎦ ⎣t ⎦ = − ⎣ diag(√(1−d))Uᵀb₂ ⎦,   Â = diag(√(1−d)) Uᵀ A.
//
// The matrix is quasi-definite but for zeros: rows with d = 1 drop out. It is symmetric, and so is
// the map from b to (dx, dy): an adjoint is the same solve with the gradients for b.
//
// The solution is refined by Newton steps on the conditions first, with the same matrix: the
// derivative is that at the exact solution, not at one that the tolerance of the solver
// allows. The linear systems are solved by a factorisation with proximal terms ρ‖dx‖² and
// ρ‖t‖² and the proximal point iteration, which converges to the least norm solution
// where the matrix is singular. The residual that it leaves there is outside of the range of
// the matrix and taken out of the right-hand side: the result is the least squares solution.
//
// References:
//
// A. Agrawal, S. Barratt, S. Boyd, E. Busseti, W. M. Moursi, Differentiating through a cone
// program, J. Appl. Numer. Optim. 1 (2019) 107-115.
//
// B. Amos, J. Z. Kolter, OptNet: differentiable optimization as a layer in neural networks,
// ICML (2017).
//
// E. Busseti, W. M. Moursi, S. Boyd, Solution refinement at regular points of conic problems,
// Comput. Optim. Appl. 74 (2019) 627-643.
package implicitdiff
