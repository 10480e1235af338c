//go:build race

package lder_test

const raceDetector = true
