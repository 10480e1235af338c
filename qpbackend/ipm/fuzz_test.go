package ipm_test

import (
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/presolve"
	"github.com/dcopt/dcopt/qpbackend/qptest"
)

func FuzzQP(f *testing.F) { qptest.Fuzz(f, ipm.Backend{}, qptest.Exact) }

func FuzzPresolvedQP(f *testing.F) {
	qptest.Fuzz(f, presolve.Backend{Inner: ipm.Backend{}}, qptest.Exact)
}

func TestCyclesLeaveNothingBehind(t *testing.T) {
	qptest.Cycles(t, ipm.Backend{}, shared.Times(10_000, 40))
}
