// Package heuristic has the switches of the procedure's parts beyond the textbook. They are for
// ablations and for tests; users have the effort.
package heuristic
