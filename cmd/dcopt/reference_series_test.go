//go:build !race

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
)

// TestReferenceBooleanLS: all eight noise levels, against DCCP's objectives.
func TestReferenceBooleanLS(t *testing.T) {
	for k, dccp := range []float64{74.59007, 51.88982, 47.80444, 38.53878, 36.73838, 28.86092, 27.03362, 24.94110} {
		path := referenceFile(t, "boolean_ls", "y4.csv", fmt.Sprintf("y%d.csv", k), "xinit4.csv", fmt.Sprintf("xinit%d.csv", k))
		r := solveReference(t, path)[0]
		if r.Status != "converged" || !(r.MaxViolation <= 1e-6) || !(r.Objective <= 1.00001*dccp) {
			t.Errorf("level %d: %s, objective %g, violation %g; DCCP has %g", k, r.Status, r.Objective, r.MaxViolation, dccp)
		}
	}
}

// TestReferenceSparseSingular: a feasible point for each of 50 values of mu.
// DCCP has 32 at its defaults, and at 5 of them these objectives.
func TestReferenceSparseSingular(t *testing.T) {
	all := solveReference(t, referenceFile(t, "sparse_singular"), "--sweep", "mu=1:3.16227766:50")
	if len(all) != 50 {
		t.Fatalf("%d of 50 values", len(all))
	}
	for k, r := range all {
		if r.Status != "converged" || !(r.MaxViolation <= 1e-6) {
			t.Errorf("value %d: %s, violation %g", k, r.Status, r.MaxViolation)
		}
	}
	for k, dccp := range map[int]float64{0: 91.7552, 25: 24.153, 30: 13.567, 35: 3.931, 37: 1, 49: 1} {
		if !(all[k].Objective <= dccp*(1+1e-4)) {
			t.Errorf("value %d: objective %g, DCCP has %g", k, all[k].Objective, dccp)
		}
	}
}

// TestReferenceSparseRecovery: 36 instances, of which DCCP recovers 25 with one
// solver and 17 with another, and the 1-norm 8.
func TestReferenceSparseRecovery(t *testing.T) {
	data := shared.Path(t, "data", "dccp", "sparse_recovery")
	recovered, total := 0, 0
	for k := 30; k <= 50; k += 4 {
		truth := readVector(t, filepath.Join(data, fmt.Sprintf("x0_k%d.csv", k)))
		for m := 50; m <= 80; m += 6 {
			suffix := fmt.Sprintf("k%d_m%d", k, m)
			r := solveReference(t, referenceFile(t, "sparse_recovery", "k30_m74", suffix))[0]
			var x []float64
			if err := json.Unmarshal(r.Variables["x"], &x); err != nil || len(x) != len(truth) {
				t.Fatalf("%s: %d entries, %v", suffix, len(x), err)
			}
			off, size := 0.0, 0.0
			for j, v := range truth {
				off, size = off+(x[j]-v)*(x[j]-v), size+v*v
			}
			if total++; math.Sqrt(off/size) <= 1e-2 {
				recovered++
			}
		}
	}
	if total != 36 || recovered < 25 {
		t.Errorf("%d of %d recovered, want 25", recovered, total)
	}
}

// TestManyStartsOfThePacking: the best of 819 starts of DCCP is 6.807981.
func TestManyStartsOfThePacking(t *testing.T) {
	r := solveReference(t, referenceFile(t, "circle_packing"), "--starts", "819")[0]
	if r.Status != "converged" || !(r.Objective <= 6.81) || !(r.MaxViolation <= 1e-6) {
		t.Errorf("%s, objective %g, violation %g", r.Status, r.Objective, r.MaxViolation)
	}
}
