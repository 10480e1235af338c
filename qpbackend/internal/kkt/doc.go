// Package kkt holds the quasi-definite matrix of an interior point method,
//
//	⎡ H + diag(h)   Aᵀ       ⎤
//	⎣ A             −diag(g) ⎦
//
// its factorisation, and solves with iterative refinement. The pattern, the
// ordering and the symbolic factorisation are made once; variables and rows can
// be switched off by value, so that fixing a variable or freeing a row does not
// change the pattern.
//
// Reference: R. J. Vanderbei, Symmetric quasidefinite matrices, SIAM J. Optim.
// 5 (1995) 100-113.
package kkt
