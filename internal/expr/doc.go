// Package expr has functions as they are written, sums of weighted functions of either sign
// (Scalar), and their splits into differences of convex functions (Split). The functions are rows
// of the tables of package atom: of one number (Curve) and of several. A Node says how a function
// was made. Equal functions are one in a sum, squares of either sign one form.
package expr
