// Package worker runs a backend of this module in a process of its own, for a
// program that measures it like any other solver.
package worker
