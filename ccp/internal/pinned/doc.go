// Package pinned takes columns that have one value, those of parameters and those that
// equations give their values, out of a backend's problem: other values of theirs change
// sides and costs alone.
package pinned
