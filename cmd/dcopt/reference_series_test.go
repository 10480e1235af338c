//go:build !race

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
)

// TestReferenceOwnBackends: TestReferenceProblems on all backends but OSQP.
func TestReferenceOwnBackends(t *testing.T) {
	referenceProblems(t, func(backend string) bool { return backend != "osqp" })
}

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
	all := solveReference(t, referenceFile(t, "sparse_singular"), "--sweep", "mu=1:3.16227766:50", "--starts", "4")
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

// recovery solves the 36 instances of sparse recovery, or those of the shared data that are there,
// and returns how many vectors are recovered to 1 %.
func recovery(t testing.TB, flags ...string) (recovered int) {
	data := shared.Path(t, "data", "dccp", "sparse_recovery")
	solved := 0
	for k := 30; k <= 50; k += 4 {
		if _, err := os.Stat(filepath.Join(data, fmt.Sprintf("x0_k%d.csv", k))); err != nil && !shared.Whole(t) {
			continue
		}
		truth := readVector(t, filepath.Join(data, fmt.Sprintf("x0_k%d.csv", k)))
		for m := 50; m <= 80; m += 6 {
			suffix := fmt.Sprintf("k%d_m%d", k, m)
			if _, err := os.Stat(filepath.Join(data, "A_"+suffix+".csv")); err != nil && !shared.Whole(t) {
				continue
			}
			solved++
			r := solveReference(t, append(flags, referenceFile(t, "sparse_recovery", "k30_m74", suffix))...)[0]
			var x []float64
			if err := json.Unmarshal(r.Variables["x"], &x); err != nil || len(x) != len(truth) {
				t.Fatalf("%s: %d entries, %v", suffix, len(x), err)
			}
			if r.Status != "converged" || !(r.MaxViolation <= 1e-6) {
				t.Errorf("%s: %s, violation %g", suffix, r.Status, r.MaxViolation)
			}
			off, size := 0.0, 0.0
			for j, v := range truth {
				off, size = off+(x[j]-v)*(x[j]-v), size+v*v
			}
			if math.Sqrt(off/size) <= 1e-2 {
				recovered++
			}
		}
	}
	if solved == 0 {
		t.Error("there is no instance")
	}
	return recovered
}

// TestReferenceSparseRecovery: each instance ends at a feasible point, of one start, as the
// benchmark below has all.
func TestReferenceSparseRecovery(t *testing.T) { recovery(t, "--effort", "quick") }

// BenchmarkReferenceSeries: vectors recovered of the 36 instances of sparse recovery, of which DCCP
// has 25 with one solver and 17 with another, and the 1-norm 8; and the best of 819 starts of the
// packing, of which DCCP has 6.807981.
func BenchmarkReferenceSeries(b *testing.B) {
	recovered, packing := 0, 0.0
	for b.Loop() {
		recovered = recovery(b)
		packing = solveReference(b, referenceFile(b, "circle_packing"), "--starts", "819")[0].Objective
	}
	b.ReportMetric(float64(recovered), "recovered")
	b.ReportMetric(packing, "packing")
}

// TestManyStartsOfThePacking: as many starts end at a packing that is feasible to the tolerance of
// the file.
func TestManyStartsOfThePacking(t *testing.T) {
	r := solveReference(t, referenceFile(t, "circle_packing"), "--starts", "819")[0]
	if r.Status != "converged" || !(r.MaxViolation <= 1e-4) || r.Objective > 6.807981 {
		t.Errorf("%s, objective %g, violation %g; DCCP has 6.807981", r.Status, r.Objective, r.MaxViolation)
	}
}
