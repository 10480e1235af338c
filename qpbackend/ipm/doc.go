// Package ipm is an interior point method for convex quadratic programs with
// cones, in pure Go: a proximal Mehrotra predictor-corrector.
//
// Bounds of variables enter only the diagonal of the KKT matrix; a two-sided row
// is one row of it; a variable with equal bounds and a row without any are
// switched off in it by value. The data are
// equilibrated, the matrix is ordered and factored symbolically once in New, and
// each iteration refactors it numerically and solves with iterative refinement.
// Where the problem is tall, with few variables that are in many rows, the
// systems are reduced to those variables, see Backend.KKT.
// The weights of the proximal terms fall with μ, faster where they hold a
// residual up, and grow where a solve is not accurate enough.
//
// Rows of cones are rows of the KKT matrix with a block of their own in place of a diagonal entry,
// see package internal/cone: the scaling of Nesterov and Todd for second-order and semidefinite
// cones, the scaling of Tunçel for exponential and power cones. A second-order cone of many rows
// takes two further columns instead of a dense block. The n(n+1)/2 rows of a semidefinite one of
// order n are eliminated where that takes less than a dense block, which leaves the Schur
// complement of the variables in them, see Schur and package internal/elimination: the operations
// of an iteration are then the operations of products of matrices of order n and of a factor of
// order of the variables. Where each row of the cone is a variable of its own without bounds or
// squares, a matrix variable, these go too, and the complement has the other rows alone.
//
// A large semidefinite cone with a sparse matrix, or with a matrix variable of which few entries
// are in other rows, is taken to pieces, one for each clique of a chordal extension of its pattern,
// where that takes fewer operations, see file chordal.go and package internal/chordal. The solver
// of the pieces is an ordinary one; its solution is put together, and certified on the problem as
// stated. A warm start is ignored then. In the same way the cone is restricted to a face of it
// where the data show that all multipliers are there, see package internal/facial.
//
// In a problem without cones a row with one entry is the bound of that variable, where that has no
// bounds of its own; see file boundrows.go.
//
// The sides of rows and bounds are one part of the cone that slacks and
// multipliers lie in, the orthant; the cones of the problem are the other, see
// part.go. A step is made by one of two methods, see method.go. A problem with
// cones is solved in its homogeneous embedding, see embed.go, which ends at a
// proof of infeasibility as surely as at a solution. A problem without is solved
// as it is, and in the embedding where that makes no progress.
//
// A run without cones, and with a square of each variable in the objective, ends at the solution of
// one linear system, exact but for rounding, where the sides that hold can be told from an iterate,
// mostly some iterations before the tolerance is met. Where they are told wrongly the run goes on
// as if nothing had been; a point that is solved is replaced only by one with smaller residuals.
//
// Residuals, gap and certificates of infeasibility always belong to the
// problem as it was stated. A result depends on the present values and on a warm
// start, on nothing before them, bit for bit.
//
// Update keeps all that depends on the pattern only. After the first Solve, a Solve does not
// allocate unless the problem looks infeasible, rows gain bounds that had none, other rows are
// bounds of variables, or there are semidefinite cones to certify. A warm start from the solution
// of nearby values saves iterations, most where every variable has a square in the objective; see
// file warm.go of internal/interior.
//
// References:
//
// K. Fujisawa, M. Kojima, K. Nakata, Exploiting sparsity in primal-dual interior-point
// methods for semidefinite programming, Math. Program. 79 (1997) 235-253.
//
// J. Dahl, E. D. Andersen, A primal-dual interior-point algorithm for
// nonsymmetric exponential-cone optimization, Math. Program. 194 (2022) 341-370.
//
// J. J. Júdice, F. M. Pires, A block principal pivoting algorithm for large-scale strictly
// monotone linear complementarity problems, Comput. Oper. Res. 21 (1994) 587-596.
//
// K. Kunisch, F. Rendl, An infeasible active set method for quadratic problems with
// simple bounds, SIAM J. Optim. 14 (2003) 35-52.
//
// P. J. Goulart, Y. Chen, Clarabel: an interior-point solver for conic programs
// with quadratic objectives, arXiv:2405.12762 (2024).
//
// S. Mehrotra, Y. Ye, Finding an interior point in the optimal face of linear programs,
// Math. Program. 62 (1993) 497-515.
//
// S. Mehrotra, On the implementation of a primal-dual interior point method,
// SIAM J. Optim. 2 (1992) 575-601.
//
// R. Schwan, Y. Jiang, D. Kuhn, C. N. Jones, PIQP: a proximal interior-point
// quadratic programming solver, 62nd IEEE CDC (2023) 1088-1093.
package ipm
