package qptest

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
)

// TestCasesAreRight certifies the optimum that each case states.
func TestCasesAreRight(t *testing.T) {
	names := map[string]bool{}
	counts := map[qpbackend.Status]int{}
	for _, c := range Problems() {
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
		if r := qpbackend.Certify(c.Problem, c.X, c.Y); !(r.Max() < 1e-13) {
			t.Errorf("%s: residuals of the stated optimum: %+v", c.Name, r)
		}
		if math.IsNaN(c.Objective) {
			t.Errorf("%s: no objective", c.Name)
		}
	}
	if counts[qpbackend.Solved] < 45 || counts[qpbackend.PrimalInfeasible] < 8 || counts[qpbackend.DualInfeasible] < 8 {
		t.Errorf("cases by status: %v", counts)
	}
	for _, c := range coneCases() {
		if err := c.Problem.Validate(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// TestEveryConeIsListed: a kind of cone that has a name stands in coneKinds and
// has a case.
func TestEveryConeIsListed(t *testing.T) {
	for k := range 256 {
		kind := qpbackend.ConeKind(k)
		named := !strings.HasPrefix(kind.String(), "ConeKind(")
		if listed := slices.Contains(coneKinds, kind); listed != named {
			t.Errorf("%v: in coneKinds is %v", kind, listed)
		}
		if named && !slices.ContainsFunc(coneCases(), func(c coneCase) bool { return c.kind == kind }) {
			t.Errorf("%v has no case", kind)
		}
	}
}
