// Package optima runs branch and bound on problems whose global optimum is wanted: dcopt
// solve --global with its proof and dcopt verify, and SCIP beside them.
//
// Sources: Floudas and Pardalos 1990, A Collection of Test Problems for Constrained Global
// Optimization Algorithms; Vandenbussche and Nemhauser 2005, A branch-and-cut algorithm for
// nonconvex quadratic programs with box constraints.
package optima
