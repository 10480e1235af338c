//go:build !race

package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
)

// TestGlobalOfMinima: minima of affine functions, of absolute values and of maxima,
// with variables that have bounds and with ones that have none, are proved optimal.
// Optima are by hand: coordinate by coordinate, or at the corners of the pieces.
func TestGlobalOfMinima(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      float64
	}{
		// Of each a, 2 if it is kept, else the best x with |x| < 1: 2, 2, .045, 2, .005.
		{"capped", "param n = 5, a = [3, -2, 0.3, 4, 0.1]\nvar x[n]\nminimize 0.5*sumsq(x - a) + 2*sum(i in 1..n) min(abs(x[i]), 1)\n", 6.05},
		{"capped in a box", "param n = 4, a = [3, -2, 0.3, 4]\nvar x[n] in [-9, 9]\nminimize 0.5*sumsq(x - a) + 2*sum(i in 1..n) min(abs(x[i]), 1)\n", 6.045},
		// Six kept and one outlier: the line through the six has no residual but the outlier's,
		// capped.
		{"capped residuals", "param u = [1, 2, 3, 4, 5, 6, 7], v = [3, 5, 7, 9, 11, 13, 90]\nvar a, b\nminimize sum(i in 1..7) min(abs(a*u[i] + b - v[i]), 2)\n", 2},
		{"three pieces", "var x[2] in [0, 10]\nminimize min(2*x[1], x[1] + 3, 8) + min(x[2], 4) - x[1]/2 - x[2]/2\nsubject to\n  x[1] + x[2] >= 7\n", -1},
		// x + y is least with one of them 0 and the other at its end of the capped row.
		{"capped row", "var x in [0, 5], y in [0, 5]\nminimize x + 2*y\nsubject to\n  min(x, 1) + min(y, 1) >= 1.5\n", 2},
		{"row of minima", "var x in [-4, 4], y in [-4, 4]\nminimize y - 0.1*x\nsubject to\n  min(abs(x - 1), abs(x + 2)) <= 0.5\n  y >= x^2\n", .2},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "p.dc")
			if err := os.WriteFile(path, []byte(c.src), 0o600); err != nil {
				t.Fatal(err)
			}
			r := runCase(t, path, "--global", "--max-nodes", "20000")
			if r.Bound == nil || r.code != exit.OK {
				t.Fatal(r.about())
			}
			if tol := 2e-6 * max(1, math.Abs(c.want)); !(math.Abs(r.objective()-c.want) <= tol && math.Abs(*r.Bound-c.want) <= tol) {
				t.Errorf("%s, bound %.10g; want %.10g", r.about(), *r.Bound, c.want)
			}
		})
	}
}
