package admm_test

import (
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend/admm"
	"github.com/dcopt/dcopt/qpbackend/qptest"
)

func TestSuite(t *testing.T) { qptest.Run(t, admm.Backend{}, qptest.Loose) }

func TestCyclesLeaveNothingBehind(t *testing.T) {
	qptest.Cycles(t, admm.Backend{}, shared.Times(10_000, 40))
}
