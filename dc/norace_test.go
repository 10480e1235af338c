//go:build !race

package dc_test

const raceEnabled = false
