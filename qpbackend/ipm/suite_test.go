package ipm_test

import (
	"testing"

	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/qptest"
)

func TestSuite(t *testing.T) { qptest.Run(t, ipm.Backend{}, qptest.Exact) }
