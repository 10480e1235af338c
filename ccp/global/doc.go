// Package global proves how far a point is from the optimum of a DC program whose
// subtracted functions are sums of maxima of few affine functions: branch and bound
// over the pieces. Package ccp finds the points.
//
// References: Balas 1979, Disjunctive programming; Falk and Soland 1969, An
// algorithm for separable nonconvex programming problems; Horst and Thoai 1999, DC
// programming: overview.
package global
