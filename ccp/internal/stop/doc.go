// Package stop decides whether an iteration of a local search was its last, by a table of numbers:
// Decide is pure. Course keeps the range of the objective by which a change counts or not.
package stop
