// Package presolve makes a quadratic program smaller before a backend solves
// it, and undoes that exactly, duals included.
//
// It leaves out free and empty rows, variables fixed by an equation of their
// own, columns that only bounds hold, rows that are multiples of another, and
// free column singletons together with their row (Andersen and Andersen 1995,
// Presolving in linear programming; Gould and Toint 2004, Preprocessing for
// quadratic programming). No value of A or P changes, so nothing fills in.
//
// The answer is certified on the problem as it was stated. Where a reduced
// answer would not hold there, or the reduction itself meets a contradiction,
// the problem is solved as it was.
package presolve
