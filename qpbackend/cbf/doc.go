// Package cbf reads conic programs in the Conic Benchmark Format, .cbf,
// versions 1 to 4: the continuous ones, of linear, second-order, exponential, power and
// semidefinite cones.
//
// The variables of a problem are the ones of VAR, then the upper triangles, column by column, of
// the matrices of PSDVAR, then ones that cones of more than one power need. The rows are the ones
// of CON, with cones that are no family of package qpbackend brought into one that is, then of
// PSDCON, then of the cones of variables. A cone of variables that says nothing but a sign is
// bounds.
//
// Names are made of the numbers that the file gives, from 0: x3, X0[1,2] (row and column
// from 0), c7, C0[0,1], and k1[0] for the rows of cone 1 of the variables.
//
// Integer variables, several instances in one file (CHANGE), and cones that are not named
// above are refused with their line.
//
// References: H. A. Friberg, CBLIB 2014: a benchmark library for conic mixed-integer and
// continuous optimization, Math. Program. Comput. 8 (2016) 191-214; the format's technical
// reference, version 4.
package cbf
