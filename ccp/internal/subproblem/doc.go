// Package subproblem is the convex problem that an iteration of the convex-concave
// procedure solves. A Problem has four parts: Compiled, the pattern and the values that
// no iteration changes; Linearisation, the values of now, which Linearise writes; Units,
// the sizes and units of variables and slacks, and the prices of these; Session, the
// backend's solver, which Solve calls, and its last answer.
//
// Columns are the variables of the DC problem, then those that atoms have added and
// a slack for each true DC constraint. Rows are the constraints; a Cut is the row of
// a DC constraint, whose coefficients and bound follow from the tangent.
package subproblem
