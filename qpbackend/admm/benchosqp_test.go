//go:build osqp

package admm_test

import (
	"testing"

	"github.com/dcopt/dcopt/qpbackend/osqp"
)

// BenchmarkOSQP is the same as BenchmarkClasses with the C library.
func BenchmarkOSQP(b *testing.B) {
	benchClasses(b, osqp.Backend{Unpolished: true})
}

// BenchmarkSequenceOSQP is the same as BenchmarkSequence with the C library.
func BenchmarkSequenceOSQP(b *testing.B) { benchSequence(b, osqp.Backend{}) }
