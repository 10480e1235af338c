// Package chordal takes a large semidefinite cone with a sparse matrix to pieces: a positive
// semidefinite matrix whose pattern is a chordal graph is a sum of positive semidefinite
// matrices on its cliques,
//
//	S = Σ EₖᵀSₖEₖ
//
// (Agler et al. 1988). So the cone of order n is replaced by one for each clique, whose entries are
// new variables, and an equation for each entry of the pattern. The multipliers of the cone are
// then known on the pattern alone; they are completed to a semidefinite matrix, the one of largest
// determinant, which exists as their cliques are semidefinite (Grone et al. 1984).
//
// A matrix of variables of which most entries are in no other row is the dual of that: its cliques
// have to be semidefinite, those entries are left out, and completed at the end.
//
// The pattern is made chordal by an elimination in an order of little fill, and cliques are merged
// along their tree where that costs less.
//
// References:
//
// J. Agler, J. W. Helton, S. McCullough, L. Rodman, Positive semidefinite matrices with a
// given sparsity pattern, Linear Algebra Appl. 107 (1988) 101-149.
//
// M. Fukuda, M. Kojima, K. Murota, K. Nakata, Exploiting sparsity in semidefinite programming
// via matrix completion I, SIAM J. Optim. 11 (2001) 647-674.
//
// M. Garstka, M. Cannon, P. Goulart, A clique graph based merging strategy for decomposable
// SDPs, IFAC-PapersOnLine 53-2 (2020) 7355-7361.
//
// R. Grone, C. R. Johnson, E. M. Sá, H. Wolkowicz, Positive definite completions of partial
// Hermitian matrices, Linear Algebra Appl. 58 (1984) 109-124.
//
// L. Vandenberghe, M. S. Andersen, Chordal graphs and semidefinite optimization, Found.
// Trends Optim. 1 (2015) 241-433, chapters 4, 8 to 10 and 14.
package chordal
