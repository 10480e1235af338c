//go:build race

package shared

// Race is whether the race detector is on. It makes a run some ten times as long, and
// allocates; what it leaves out runs without it.
const Race = true
