package ipm_test

import (
	"testing"

	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/presolve"
	"github.com/dcopt/dcopt/qpbackend/qptest"
)

func FuzzQP(f *testing.F) { qptest.Fuzz(f, ipm.Backend{}, qptest.Exact) }

func FuzzPresolvedQP(f *testing.F) {
	qptest.Fuzz(f, presolve.Backend{Inner: ipm.Backend{}}, qptest.Exact)
}

func TestCyclesLeaveNothingBehind(t *testing.T) {
	n := 10_000
	if raceEnabled {
		n = 1000
	}
	qptest.Cycles(t, ipm.Backend{}, n)
}
