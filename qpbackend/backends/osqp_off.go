//go:build !osqp

package backends

import "github.com/dcopt/dcopt/qpbackend"

// makeOSQP returns nil: this build lacks OSQP.
func makeOSQP() func() qpbackend.Backend { return nil }
