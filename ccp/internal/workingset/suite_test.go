package workingset

import (
	"testing"

	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/qptest"
	"github.com/dcopt/dcopt/qpbackend/reduce"
)

func TestSuite(t *testing.T) {
	qptest.Run(t, reduce.Chain(ipm.Backend{}, Reduction{least: 3}), qptest.Exact)
}
