// Package project finds the points of cones nearest to given ones.
//
// A function for each cone K of package qpbackend writes to dst the projection
// of v on K, in the Euclidean norm; dst may be v itself. By Moreau's theorem
// v − dst lies in the polar cone K° = −K* and is orthogonal to dst, so that the
// distance of y from K° is the norm of the projection of y on K. The error is a
// few units in the last place of the largest entry of v. Where an entry is not
// finite, all of dst is NaN.
//
// References:
//
//	Friberg 2023, "Projection onto the exponential cone: a univariate
//	root-finding problem", Optimization Methods and Software 38.
//	Hien 2015, "Differential properties of Euclidean projection onto power
//	cone", Mathematical Methods of Operations Research 82.
//	Chandrupatla 1997, "A new hybrid quadratic/bisection algorithm for finding
//	the zero of a nonlinear function", Advances in Engineering Software 28.
package project
