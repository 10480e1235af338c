//go:build osqp

package backends

import (
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/osqp"
)

// makeOSQP returns how to make the OSQP backend.
func makeOSQP() func() qpbackend.Backend {
	return func() qpbackend.Backend { return osqp.Backend{} }
}
