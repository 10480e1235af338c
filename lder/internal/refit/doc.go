// Package refit fits a difference of two maxima of affine functions by
// penalised least squares.
//
// The argmaxes cut the rows into regions. With the regions fixed the problem
// is linear least squares, whose normal matrix is a sum of one Gram matrix a
// region; its solution gives a direction, and a search among a few step lengths
// a point of lower objective, where the argmaxes are taken anew: a damped
// Gauss–Newton method on a piecewise linear model.
//
// The values of the pieces along a direction are affine in the step length, so
// that two products with the rows give the errors at all steps. Rows are worked
// on by panels, column by column; panels of small data are kept through a fit with
// the values of the pieces, of which an iteration then needs but the changes.
// Panels lie in blocks whose sums are added in a fixed order, so that the result
// does not depend on the number of workers. It does, in the last bits, on whether
// the processor has AVX2.
//
// References: Magnani and Boyd 2009, Convex piecewise-linear fitting (least
// squares with fixed regions); Oliveira and Valle 2023 (the model).
package refit
