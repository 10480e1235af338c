// Package table reads numbers and tables of them: CSV and TSV files of any size,
// plain or compressed by gzip, for all who read data.
//
// One grammar holds for a number everywhere:
//
//	number = [ "+" | "-" ] ( digits [ "." [ digits ] ] | "." digits )
//	         [ ( "e" | "E" ) [ "+" | "-" ] digits ]
//
// It is rounded to the nearest float64. Beside it there are the words inf,
// infinity (with a sign or without) and nan, in any case, where a field allows
// them. Hexadecimal digits and underscores make no numbers.
//
// One rule tells a header: see [Head].
//
// Numbers of up to 19 digits are computed in whole numbers: their digits over a
// power of 5, by a reciprocal and, next to the middle between two float64, by a
// division; the rest is left to strconv. Eight digits at a time are read as in
// Lemire, Number parsing at a gigabyte per second, Software: Practice and
// Experience 51, 2021.
package table
