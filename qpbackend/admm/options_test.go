package admm

import (
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest"
)

// TestOptionsRefuse: options out of range are refused by name.
func TestOptionsRefuse(t *testing.T) {
	qptest.Options(t, DefaultOptions(), Options.Validate, func(o Options) qpbackend.Backend { return Backend{Options: &o} })
}
