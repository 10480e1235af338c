// Package scaling hands a backend a copy of the problem in units of its own and
// hands back results in the units of the stated problem. Tolerances of a backend
// are relative to max(1, norms); in the copy, columns, rows and the objective are
// of the size of 1, so that they mean the same in all units.
//
// The units are powers of 1024: scaling by them is exact, a problem whose numbers
// are of moderate size goes to the backend as it is, and a problem times a power
// of 1024, in its objective, a row or a variable, becomes the same copy to the
// bit.
//
// A copy may also be stated in the distance from a point (Shift). Its residuals
// are then relative to that distance, and a row with terms of 1e9 is met to the
// rounding error of its terms: iterative refinement.
//
// References:
//
// Gleixner, Steffy and Wolter 2016, Iterative refinement for linear programming.
// Higham 2002, Accuracy and stability of numerical algorithms, section 7.3.
package scaling
