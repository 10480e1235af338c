// Package global proves how far a point is from the optimum of a DC program, by branch and bound
// over the intervals of the arguments of all functions. Package ccp finds the points.
//
// References: Balas 1979, Disjunctive programming; Ceria and Soares 1999, Convex
// programming for disjunctive convex optimization; Falk and Soland 1969, An
// algorithm for separable nonconvex programming problems; Horst and Thoai 1999, DC
// programming: overview.
package global
