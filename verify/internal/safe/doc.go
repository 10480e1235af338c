// Package safe is arithmetic whose results enclose the exact ones, whatever is rounded: intervals
// of float64 numbers and of numbers with 256 bits, functions of one number by a table, and positive
// definite matrices.
//
// References: Tucker 2011, Validated Numerics; Rump 2006, Verification of positive definiteness.
package safe
