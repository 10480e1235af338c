//go:build !race

package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestProductsOfUnlikeSize: what a bound of 10^-k or 10^k leaves of the other factors,
// with the optimum by hand.
func TestProductsOfUnlikeSize(t *testing.T) {
	for k := range 10 {
		e := math.Pow(10, float64(k))
		for _, c := range []struct {
			name, text string
			best       float64
		}{
			{"inequality", fmt.Sprintf("var x >= 0, y in [0, 1e-%d]\nminimize x\nsubject to\n  x*y >= 1\n", k), e},
			{"a bound far above", fmt.Sprintf("var x in [0, 1e10], y in [0, 1e-%d]\nminimize x\nsubject to\n  x*y >= 1\n", k), e},
			{"one sign is implied", fmt.Sprintf("var x, y in [0, 1e-%d]\nminimize x\nsubject to\n  x*y >= 1\n", k), e},
			{"equality", fmt.Sprintf("var x >= 0, y in [0, 1e-%d]\nminimize x\nsubject to\n  x*y == 1\n", k), e},
			{"three factors", fmt.Sprintf("var x >= 0, y in [0, 1e-%d], z in [0, 2]\nminimize x\nsubject to\n  x*y*z >= 1\n", k), e / 2},
			{"other signs", fmt.Sprintf("var x <= 0, y in [-1e-%d, 0]\nmaximize x\nsubject to\n  -2*x*y <= -2\n", k), -e},
			{"with a sum", fmt.Sprintf("var x >= 0, y in [0, 1e-%d], z in [0, 1]\nminimize x + z*1e%d\nsubject to\n  x*y + z >= 1\n", k, k), e},
		} {
			path := filepath.Join(t.TempDir(), "p.dc")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if r := runCase(t, path); r.Status != "converged" || !(math.Abs(r.objective()-c.best) <= 1e-5*e) {
				t.Errorf("%s, k = %d: %s; want %g", c.name, k, r.about(), c.best)
			}
		}
	}
}

// TestStartsOfAnySize: the start of a convex problem does not change its minimum, though
// a backend's accuracy is relative to the sizes that it gives.
func TestStartsOfAnySize(t *testing.T) {
	for _, start := range []string{"0", "1e-109", "1e-30", "5e-16", "1e-12", "2e-9", "1e-6", "1e5", "1e12", "1e30"} {
		for _, c := range []struct {
			name, text string
			best       float64
		}{
			{"bound", "var x >= 0 start " + start + "\nminimize x\nsubject to\n  x >= 42\n", 42},
			{"row", "var x start 1\nvar y start " + start + "\nminimize abs(x - 1)\nsubject to\n  2*x - y - 1 == 0\n", 0},
		} {
			path := filepath.Join(t.TempDir(), "p.dc")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if r := runCase(t, path); r.Status != "converged" || !(math.Abs(r.objective()-c.best) <= 1e-6*max(1, c.best)) {
				t.Errorf("%s, start %s: %s; want %g", c.name, start, r.about(), c.best)
			}
		}
	}
}
