//go:build osqp

package osqp_test

import (
	"testing"

	"github.com/dcopt/dcopt/qpbackend/osqp"
	"github.com/dcopt/dcopt/qpbackend/qptest"
)

func TestSuite(t *testing.T) { qptest.Run(t, osqp.Backend{}, qptest.Loose) }
