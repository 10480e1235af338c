//go:build osqp && !race

package osqp_test

import (
	"testing"

	"github.com/dcopt/dcopt/qpbackend/osqp"
	"github.com/dcopt/dcopt/qpbackend/qptest"
)

func TestCyclesLeaveNothingBehind(t *testing.T) { qptest.Cycles(t, osqp.Backend{}, 10_000) }
