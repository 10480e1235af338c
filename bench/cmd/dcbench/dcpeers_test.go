//go:build peers

package main

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/dcrun"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

// TestDCPeers: all state the same problems. What is solved by the same tangents
// from the same start ends at the same point; the others end at points of the
// problem.
func TestDCPeers(t *testing.T) {
	out := t.TempDir()
	dcbench(t, context.Background(), exitOK, "dc", "--sizes", "12", "--repeat", "1", "--time-limit", "30s",
		"--dcopt", buildDcopt(t), "--peers", "all", "--out", out, "-q")
	rows, err := csvtable.Read[dcrun.Row](filepath.Join(out, "dc.csv"))
	if err != nil || len(rows) != 5*(1+len(dcPeers.All)) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	ends := map[[2]string]dcrun.Row{}
	for _, r := range rows {
		ends[[2]string{r.Problem, r.Solver}] = r
	}
	for _, c := range []struct {
		problem string
		solvers []string // that must succeed
		same    bool     // and agree
	}{
		{"svm-12", []string{"dcopt", "dccp-tau1", "clarabel", "osqp"}, true},
		{"l1l2-12", []string{"dcopt", "dccp-tau1", "clarabel", "osqp"}, true},
		{"boolean-12", []string{"dcopt", "clarabel", "osqp"}, false},
		{"circles-12", []string{"dcopt", "dccp-tau1", "dccp-tau1rows", "clarabel", "dnlp", "dnlp-ipopt"}, false},
		{"dma-12", []string{"dcopt", "dccp-tau1", "clarabel"}, false},
	} {
		first := ends[[2]string{c.problem, c.solvers[0]}]
		for _, s := range c.solvers {
			r := ends[[2]string{c.problem, s}]
			if r.Status != "converged" || !r.Feasible(1e-3) || !(r.Wall > 0 && r.CPU > 0 && r.Iterations > 0) {
				t.Errorf("%+v", r)
			}
			if c.same && !(math.Abs(r.Objective-first.Objective) <= 1e-4*max(1, math.Abs(first.Objective))) {
				t.Errorf("%s: %s ends at %g, %s at %g", c.problem, s, r.Objective, c.solvers[0], first.Objective)
			}
		}
	}
	for _, r := range rows {
		if r.Status == "crashed" {
			t.Errorf("%+v", r)
		}
	}
}
