// Package pinned takes columns that have one value, those of parameters, out of a
// backend's problem: other values of theirs change sides and costs alone.
package pinned
