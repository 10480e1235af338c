// Package subproblem is the convex problem that an iteration of the convex-concave
// procedure solves: assembled once (Compile), with values that Linearise
// overwrites and a backend's solver that Solve calls.
//
// Columns are the variables of the DC problem, then those that atoms have added and
// a slack for each true DC constraint. Rows are the constraints; a Cut is the row of
// a DC constraint, whose coefficients and bound follow from the tangent.
package subproblem
