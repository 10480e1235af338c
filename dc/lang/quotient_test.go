package lang

import (
	"context"
	"math"
	"testing"

	"github.com/dcopt/dcopt/ccp"
)

// TestQuotientsAreSolved: problems with quotients that have no split, and minima that are known.
func TestQuotientsAreSolved(t *testing.T) {
	for _, c := range []struct {
		source string
		want   float64
	}{
		{"var x start 5, y start 5\nminimize (x - 1.01)^2 + y^2\nsubject to\n  a: (x - 1)/y == 1", 5e-5},
		{"var x start 5, y start -5\nminimize (x - 1.01)^2 + y^2\nsubject to\n  a: (x - 1)/y == 1", 5e-5},
		// 1/(x² + y²) has no split near 0; the nearest point of a circle to (1, 2).
		{"var x, y\nminimize (x - 1)^2 + (y - 2)^2\nsubject to\n  1/(x^2 + y^2) >= 0.5",
			math.Pow(math.Sqrt(5)-math.Sqrt(2), 2)},
		// The line x = 0.4 y through the same quotient from both sides.
		{"var x, y\nminimize (x - 1)^2 + (y - 2)^2\nsubject to\n  0.4 <= x/y <= 0.4", 0.04 / 1.16},
		// Two charges on a segment of length 2 and a fixed one at its middle.
		{"var x in [-1, 1] start -0.3, y in [-1, 1] start 0.4\n" +
			"minimize 1/norm2([x - y, 0]) + 1/norm2([x, 0]) + 1/norm2([0, y])", 2.5},
	} {
		f, err := Parse("quotient.dc", []byte(c.source+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(context.Background(), f, Options{})
		if err != nil {
			t.Errorf("%s\n%v", c.source, err)
			continue
		}
		r, err := ccp.Solve(t.Context(), p.Problem, p.Problem.Start(1), ccp.DefaultSettings())
		if err != nil || !r.Feasible || math.Abs(r.Objective-c.want) > 1e-4*c.want {
			t.Errorf("%s\n%v, %v: %.10g, want %.10g", c.source, err, r.Status, r.Objective, c.want)
		}
	}
}
