//go:build race

package ipm_test

const raceEnabled = true
