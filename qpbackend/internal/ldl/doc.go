// Package ldl factors sparse symmetric quasi-definite matrices: P K Pᵀ = L D Lᵀ
// with L unit lower triangular and D diagonal, for any permutation P.
//
// Pivots are taken as they come. A quasi-definite matrix [H Aᵀ; A −C] with H and
// C positive definite allows this in every order (Vanderbei 1995); pivots that
// rounding spoils are replaced on the way, see [Regularisation].
//
// The symbolic work is done once, by [Count] and [Factor.Store]. Columns of L with few entries, and
// with such columns alone before them, are eliminated first, by a list of places (right-looking).
// Columns of like pattern of what they leave are gathered into supernodes, which are dense panels,
// and these are updated by register-blocked products (left-looking; Ng and Peyton 1993).
//
// On amd64 processors with AVX2 and FMA the products run in assembler, unless
// the build tag purego is set. Results repeat bit for bit on one machine; those
// of different processors may differ by rounding.
//
//   - Gilbert, Ng, Peyton 1994: An efficient algorithm to compute row and
//     column counts for sparse Cholesky factorization. SIAM Journal on Matrix
//     Analysis and Applications 15.
//   - Liu 1990: The role of elimination trees in sparse factorization. SIAM
//     Journal on Matrix Analysis and Applications 11.
//   - Ng, Peyton 1993: A supernodal Cholesky factorization algorithm for
//     shared-memory multiprocessors. SIAM Journal on Scientific Computing 14.
//   - Vanderbei 1995: Symmetric quasidefinite matrices. SIAM Journal on
//     Optimization 5.
package ldl
