// Package factorable states a DC program as affine rows over columns: the variables and, after
// them, terms, each a function of one or two columns before it. It bounds columns by interval
// arithmetic, and Lagrangians from below, safely against rounding.
//
// Intervals are rounded outward. A bound of a Lagrangian comes from multipliers of the rows and
// from an affine minorant for each term, made at a hint: neither need be exact.
//
// References: McCormick 1976, Computability of global solutions to factorable nonconvex programs;
// Padberg 1989, The Boolean quadric polytope; Falk and Soland 1969, An algorithm for separable
// nonconvex programming problems; Neumaier and Shcherbina 2004, Safe bounds in linear and
// mixed-integer linear programming; Jansson 2004, Rigorous lower and upper bounds in linear
// programming; Messine 2004, Deterministic global optimization using interval constraint
// propagation techniques.
package factorable
