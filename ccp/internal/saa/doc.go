// Package saa finds a starting point for a problem whose objective is a large sum: it compares
// descents from many starts on samples of the sum. It is the sample average approximation
// (Kleywegt, Shapiro and Homem-de-Mello 2002); starts leave by successive halving (Jamieson and
// Talwalkar 2016).
package saa

import "github.com/dcopt/dcopt/internal/program"

// Stage looks for a starting point.
type Stage struct {
	Problem *program.Problem
	Seed    uint64                     // of the samples
	Draw    func(number int) []float64 // draws starts, in order from number 0
	Ended   func() bool                // reports whether the run has been ended
}
