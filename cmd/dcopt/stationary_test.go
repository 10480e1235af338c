//go:build !race

package main

import (
	"path/filepath"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
)

// TestStationary: problems at whose answers first-order conditions are hard to meet.
func TestStationary(t *testing.T) {
	for file, right := range map[string]func(*caseRun) string{
		"cases/default/process.dc":   optimum(1161.3366, 1e-6),
		"cases/default/18_neural.dc": between(0, 1e-6),
		"minlp/alkylation.dc":        optimum(1768.806964, 1e-6),
	} {
		t.Run(file, func(t *testing.T) {
			if wrong := right(runCase(t, shared.Path(t, "data", filepath.FromSlash(file)))); wrong != "" {
				t.Error(wrong)
			}
		})
	}
}
