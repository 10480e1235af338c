// Package diagnose says what is wrong: which constraints exclude each other.
//
// References: Chinneck and Dravnieks 1991, Locating minimal infeasible constraint
// sets in linear programs.
package diagnose
