package ipm_test

import (
	"testing"

	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/qptest"
)

// strategies are those that results must not depend on.
var strategies = []ipm.KKT{ipm.Sparse, ipm.Arrowhead}

func TestSuite(t *testing.T) {
	qptest.Run(t, ipm.Backend{}, qptest.Exact)
	for _, how := range append(strategies, ipm.Schur) {
		t.Run(how.String(), func(t *testing.T) { qptest.Run(t, ipm.Backend{KKT: how}, qptest.Exact) })
	}
}
