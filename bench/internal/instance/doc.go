// Package instance holds the problems that are measured: files, the random
// classes of the OSQP paper, random programs with the structure of applications, random
// problems with cones, the sequence of problems that a convex-concave
// procedure solves, and the problem that a step of l-CCP solves.
//
// Random problems are drawn from a generator seeded by class and size, problems of
// structured sets by set and draw: one name (and draw) is one problem, on every machine.
//
// References:
//
// B. Stellato, G. Banjac, P. Goulart, A. Bemporad, S. Boyd, OSQP: an operator
// splitting solver for quadratic programs, Math. Prog. Comp. 12 (2020) 637-672,
// appendix A.
//
// A. Oliveira, M. E. Valle, linear dilation-erosion regressor, Algorithm 2.
package instance
