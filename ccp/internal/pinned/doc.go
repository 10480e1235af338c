// Package pinned takes the columns of parameters, which have one value, out of a backend's problem:
// other values of theirs change sides and costs alone.
package pinned
