// Package function has the functions of the language, atoms, functions of data and readers
// of files, each with its arguments in a table, and the rules by which package eval computes
// operations, also of complex numbers.
package function
