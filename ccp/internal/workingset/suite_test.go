package workingset

import (
	"testing"

	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/qptest"
)

func TestSuite(t *testing.T) {
	qptest.Run(t, Backend{Inner: ipm.Backend{}, least: 3}, qptest.Exact)
}
