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
// matrix as a whole. The bordered one is for tall problems, where a few columns
// (or rows) of the matrix are full and the rest falls apart without them: the
// parameters of a regression, the factors of a portfolio. Each of the small
// components is factored densely, with the largest pivots first, and what they
// leave on the border is added up by products of dense blocks. Blocks that hold
// the same data but for factors of rows and columns, as those of the pieces of a
// regression do, have it once. The choice is by the pattern: both are priced, and
// the cheaper one is taken.
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
