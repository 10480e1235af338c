//go:build !race

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
		name, Source string
		objective    float64
	}{
		{"the convex problem fails in units of its solution", "var x in [-3, 0], y >= 0\nminimize square(x^2 + y) - x\n", 0},
		{"bounds beyond all sizes", "var x in [-1e31, 1e31], y in [-1e31, 5]\nminimize abs(x - 3) + square(y - 7)\nsubject to\n  x + y >= 0\n", 4},
		{"wide bounds, not convex", "var x[2] in [-1e18, 1e18]\nminimize sumsq(x) - 2*x[1]\nsubject to\n  norm2(x) >= 2\n", 0},
		{"a box as wide as the solution is large", "var x in [-1e17, 1e17], y in [0, 1e17]\nminimize abs(x/1e17 - 0.3) + square(y/1e17 - 0.5)\n", 0},
		{"small coefficients alone", "var x, y >= 0\nminimize abs(x/1e14 - 0.3) + square(y/1e14 - 0.5)\n", 0},
		{"variables of no account go far", "var x, y, v[3], p >= 0, q >= 0\nminimize x^3*y - x*y^3 + x^4 + y^4\n", 0},
	} {
		t.Run(k.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "p.dc")
			if err := os.WriteFile(path, []byte(k.Source), 0o644); err != nil {
				t.Fatal(err)
			}
			if c := runCase(t, path); c.Status != "converged" || !(math.Abs(c.objective()-k.objective) <= 1e-6*max(1, math.Abs(k.objective))) {
				t.Errorf("%s; want %g", c.about(), k.objective)
			}
		})
	}
}

// TestUnboundedVariants: objectives that fall for ever are unbounded, those that tend to a
// limit are not, although the points run off.
func TestUnboundedVariants(t *testing.T) {
	for source, unbounded := range map[string]bool{
		"minimize (x^2 + 1)/(y^2 + 1)":       false,
		"minimize log(p + 1) - log(q + 1)":   true,
		"maximize log(1 + x^2)":              true,
		"minimize sqrt(p + 1) - sqrt(q + 2)": true,
		"minimize -exp(x) + y^2":             true,
	} {
		path := filepath.Join(t.TempDir(), "p.dc")
		if err := os.WriteFile(path, []byte("var x, y, v[3], p >= 0, q >= 0\n"+source+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		c := runCase(t, path, "--starts", "1")
		if unbounded != (c.Status == "unbounded") {
			t.Errorf("%s: %s", source, c.about())
		}
	}
}
