//go:build race

package shared

// Race is whether the race detector is on. It makes a run some ten times as long, and
// allocates; the tests that it leaves out run without it.
const Race = true
