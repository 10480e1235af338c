package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestVariants holds small problems, whose answers are known, that were once answered
// wrongly or not at all, beside those of TestCases.
func TestVariants(t *testing.T) {
	for _, k := range []struct {
		name, source string
		objective    float64
	}{
		{"the convex problem fails in units of its solution", "var x in [-3, 0], y >= 0\nminimize square(x^2 + y) - x\n", 0},
	} {
		t.Run(k.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "p.dc")
			if err := os.WriteFile(path, []byte(k.source), 0o644); err != nil {
				t.Fatal(err)
			}
			if c := runCase(t, path); c.Status != "converged" || !(math.Abs(c.objective()-k.objective) <= 1e-6*max(1, math.Abs(k.objective))) {
				t.Errorf("%s; want %g", c.about(), k.objective)
			}
		})
	}
}
