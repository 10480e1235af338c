//go:build race

package main

// raceEnabled: the race detector makes a run some ten times as long. What it
// leaves out runs without it.
const raceEnabled = true
