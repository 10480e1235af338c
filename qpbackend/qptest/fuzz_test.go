package qptest

import (
	"testing"

	"github.com/dcopt/dcopt/qpbackend/qptest/internal/problems"
)

// TestAwkwardCones: the fuzzer's problems are problems.
func TestAwkwardCones(t *testing.T) {
	for seed := range uint64(300) {
		if p, _ := awkwardCones(seed, uint8(seed), uint8(seed/3), problems.Kinds); p != nil {
			if err := p.Validate(); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
	}
}
