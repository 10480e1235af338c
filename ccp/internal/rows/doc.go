// Package rows holds the rows of a convex problem: one by one, and those of constraints
// that differ in numbers alone as one object.
package rows
