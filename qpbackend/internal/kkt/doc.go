// Package kkt holds the quasi-definite matrix of an interior point method,
//
//	⎡ H + diag(h)   Aᵀ       ⎤
//	⎣ A             −diag(g) ⎦
//
// where some rows may have a block −G − diag(g) instead, for a cone, see [Block];
// its factorisation, and solves with iterative refinement. The pattern, the
// ordering and the symbolic factorisation are made once; variables and rows can
// be switched off by value, so that fixing a variable or freeing a row does not
// change the pattern.
//
// There are two ways to factor it, see [Strategy]. The sparse one takes the
// matrix as a whole. The other one is for tall problems, where a few rows and
// columns of the matrix, the border, are full and the rest is block diagonal with
// small components: an arrowhead, or bordered block-diagonal, matrix. So are the
// parameters of a regression and the factors of a portfolio. Each component is
// factored densely, with the largest pivots first, and eliminated; the rest is
// the Schur complement, a dense matrix of the order of the border, to which the
// components contribute by products of dense blocks. Blocks whose columns are
// scaled copies of the columns of another one, as with the pieces of a regression
// are, have their data once. The choice is by the pattern: a model of the number
// of operations is evaluated for both, and the cheaper one is taken.
//
// References:
//
// A. Domahidi, E. Chu, S. Boyd, ECOS: an SOCP solver for embedded systems, ECC
// (2013) 3071-3076, for the expansion of blocks.
//
// R. J. Vanderbei, Symmetric quasidefinite matrices, SIAM J. Optim. 5 (1995)
// 100-113.
//
// S. J. Wright, Primal-dual interior-point methods, SIAM (1997), chapter 11, for
// dense columns.
package kkt
