//go:build osqp

package admm_test

import (
	"testing"

	"github.com/dcopt/dcopt/qpbackend/osqp"
)

// BenchmarkOSQP is the same as BenchmarkClasses with the C library.
func BenchmarkOSQP(b *testing.B) {
	opt := osqp.DefaultOptions()
	opt.Polishing = false
	benchClasses(b, osqp.Backend{Options: &opt})
}

// BenchmarkSequenceOSQP is the same as BenchmarkSequence with the C library.
func BenchmarkSequenceOSQP(b *testing.B) { benchSequence(b, osqp.Backend{}) }
