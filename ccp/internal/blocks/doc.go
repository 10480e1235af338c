// Package blocks holds the rows of a convex problem: single rows, and blocks of rows of
// constraints that differ in numbers alone.
package blocks
