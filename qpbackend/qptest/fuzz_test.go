package qptest

import (
	"testing"

	"github.com/dcopt/dcopt/qpbackend/qptest/internal/problems"
)

// TestAwkward: the fuzzer's problems are problems.
func TestAwkward(t *testing.T) {
	for seed := range uint64(300) {
		p, _ := awkward(seed, uint8(seed), chosen(problems.Kinds, uint8(seed/3)))
		if err := p.Validate(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
