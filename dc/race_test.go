//go:build race

package dc_test

// raceEnabled: the race detector makes sync.Pool drop its contents at random,
// so allocations cannot be counted.
const raceEnabled = true
