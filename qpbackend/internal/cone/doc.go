// Package cone has the cones of an interior point method beyond the
// half-line: barriers, scalings, products, corrections and steps to the
// boundary. A row block of the method states s ∈ K with a multiplier z in the
// dual cone, and a step solves
//
//	ds + H·dz = rc
//
// where H is the scaling of the present pair, Hz = s, and rc holds −s for the
// predictor and −s with the terms of [Cone].Correct for the corrector.
//
// The second-order and the semidefinite cone are symmetric: H = WᵀW with the
// scaling W of Nesterov and Todd. The exponential and the power cone have three
// rows; H is the secant scaling of Tunçel, with the corrector of third order of
// Dahl and Andersen, from the explicit barrier of the dual cone.
//
// References:
//
// M. S. Andersen, J. Dahl, Z. Liu, L. Vandenberghe, Interior-point methods for
// large-scale cone programming, in: Optimization for Machine Learning, MIT Press
// (2011) 55-83.
//
// R. M. Corless, D. J. Jeffrey, The Wright ω function, in: Artificial Intelligence,
// Automated Reasoning, and Symbolic Computation, Springer (2002) 76-89.
//
// J. Dahl, E. D. Andersen, A primal-dual interior-point algorithm for
// nonsymmetric exponential-cone optimization, Math. Program. 194 (2022) 341-370.
//
// A. Domahidi, E. Chu, S. Boyd, ECOS: an SOCP solver for embedded systems, ECC
// (2013) 3071-3076.
//
// F. N. Fritsch, R. E. Shafer, W. P. Crowley, Algorithm 443: Solution of the
// transcendental equation we^w = x, Commun. ACM 16 (1973) 123-124.
//
// P. J. Goulart, Y. Chen, Clarabel: an interior-point solver for conic programs
// with quadratic objectives, arXiv:2405.12762 (2024).
//
// Y. E. Nesterov, M. J. Todd, Self-scaled barriers and interior-point methods
// for convex programming, Math. Oper. Res. 22 (1997) 1-42.
//
// L. Tunçel, Generalization of primal-dual interior-point methods to convex
// optimization problems in conic form, Found. Comput. Math. 1 (2001) 229-254.
package cone
