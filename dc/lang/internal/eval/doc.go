// Package eval computes the values of expressions of the language: operations, literals,
// loops and sums over indices, conditions and sets. It counts the work that it does, and a
// mistake unwinds it to the statement. It knows functions by a table and states no problem.
package eval
