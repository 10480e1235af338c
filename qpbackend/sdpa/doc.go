// Package sdpa reads semidefinite programs in SDPA's sparse format, .dat-s:
//
//	minimise cᵀx  subject to  x₁F₁ + … + xₘFₘ − F₀ positive semidefinite
//
// with symmetric block-diagonal matrices Fₖ, whose diagonal blocks are given by a negative
// size. The rows of a problem are the rows of the blocks, in their order: of a diagonal block
// and of a block of order one there is a row per entry; any other is the triangle of a
// semidefinite cone, column by column.
//
// Points on which readers disagree, and the choice of this one:
//
//   - Entries of either triangle are taken. One that both triangles state must be equal in them,
//     and one that is stated twice is an error.
//   - The numbers of variables and blocks, and the sizes of the blocks, may have other text
//     behind them on their line. The characters , ( ) { } are white space.
//   - Sections of integer variables and of ranks are refused.
//
// References: K. Fujisawa, M. Kojima, K. Nakata, M. Yamashita, SDPA user's manual, research
// report B-308, Tokyo Institute of Technology, 2002. B. Borchers, SDPLIB 1.2, Optimization
// Methods and Software 11 (1999) 683-690.
package sdpa
