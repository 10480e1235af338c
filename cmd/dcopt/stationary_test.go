//go:build !race

package main

import (
	"path/filepath"
	"testing"
)

// TestStationary: problems at whose answers first-order conditions are hard to meet.
func TestStationary(t *testing.T) {
	for file, right := range map[string]func(*caseRun) string{
		"process.dc": optimum(1161.3366, 1e-6),
	} {
		if wrong := right(runCase(t, filepath.Join(casesDir(t), "default", file))); wrong != "" {
			t.Errorf("%s: %s", file, wrong)
		}
	}
}
