package problems

import (
	"math"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
)

// TestCasesAreRight certifies the optimum that each case states.
func TestCasesAreRight(t *testing.T) {
	names := map[string]bool{}
	counts := map[qpbackend.Status]int{}
	for _, c := range All() {
		if names[c.Name] {
			t.Errorf("two cases are called %q", c.Name)
		}
		names[c.Name] = true
		counts[c.Want]++
		if err := c.Problem.Validate(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if c.Want != qpbackend.Solved {
			continue
		}
		if r := qpbackend.Certify(c.Problem, c.X, c.Y, c.Z); !(r.Max() < 1e-13) {
			t.Errorf("%s: residuals of the stated optimum: %+v", c.Name, r)
		}
		if math.IsNaN(c.Objective) {
			t.Errorf("%s: no objective", c.Name)
		}
	}
	if counts[qpbackend.Solved] < 45 || counts[qpbackend.PrimalInfeasible] < 8 || counts[qpbackend.DualInfeasible] < 8 {
		t.Errorf("cases by status: %v", counts)
	}
}
