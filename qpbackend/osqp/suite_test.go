//go:build osqp

package osqp_test

import (
	"testing"

	"github.com/dcopt/dcopt/qpbackend/osqp"
	"github.com/dcopt/dcopt/qpbackend/qptest"
)

// TestCyclesLeaveNothingBehind comes before the suite, whose interrupted set-ups go on
// in C for a while and need memory.
func TestCyclesLeaveNothingBehind(t *testing.T) { qptest.Cycles(t, osqp.Backend{}, 10_000) }

func TestSuite(t *testing.T) { qptest.Run(t, osqp.Backend{}, qptest.Loose) }
