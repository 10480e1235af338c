//go:build !race

package lder_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

// TestPaperTable runs the paper's protocol on its 17 sets and compares with
// docs/lab/lder.md. FVU of single sets depends on how ties break after the first
// quadratic program; the average of Algorithm 2 is .324 in the paper and was
// .315 in an independent implementation. The slow methods are run only on the
// sets of up to 120 rows, without averages.
func TestPaperTable(t *testing.T) {
	dir := shared.Path(t, "data", "pmlb")
	f, err := os.Open(filepath.Join(dir, "folds_seed1.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	known, err := dataset.ReadFolds(f, "folds_seed1.json")
	if err != nil {
		t.Fatal(err)
	}
	printed := docsTable(t)
	for _, c := range []struct {
		method   lder.Method
		all      bool    // all sets, not only the small ones
		lo, hi   float64 // of the average
		off, far int     // sets that may differ by .03 from the docs, from paperSets
	}{
		// Rounding decides ties after the first quadratic program, so that a
		// change of the solver may move a set or two.
		{lder.CCP, true, .303, .327, 2, 3},
		{lder.Refit, true, 0, .315, 2, 17},
		{lder.Cheap, true, 0, .3, 2, 17},
		{lder.Auto, false, 0, 0, 1, 17},
		{lder.Bagged, false, 0, 0, 1, 17},
	} {
		t.Run(c.method.String(), func(t *testing.T) {
			sets, off, far, average := 0, 0, 0, 0.0
			for set, w := range paperSets {
				tab, err := dataset.ReadFile(filepath.Join(dir, set+".tsv.gz"), dataset.Options{})
				if err != nil {
					t.Fatal(err)
				}
				d, err := tab.Supervised("target", dataset.DefaultSelection())
				if err != nil {
					t.Fatal(err)
				}
				if !c.all && len(d.Y) > 120 {
					continue
				}
				folds, err := known.Of(set, len(d.Y))
				if err != nil {
					t.Fatal(err)
				}
				res, err := lder.CrossValidate(context.Background(), d.X, d.Y, folds, lder.MethodSettings(c.method))
				if err != nil {
					t.Fatalf("%s: %v", set, err)
				}
				mean, std := res.MeanFVU()
				p, ok := printed[c.method.String()][set]
				if !ok || math.Abs(mean-p) > .03 {
					t.Logf("%s: FVU %.3f ± %.3f, docs/lab/lder.md says %.3f", set, mean, std, p)
					off++
				}
				if math.Abs(mean-w) > .03 {
					far++
				}
				for _, tr := range res.Training { // the paper: training does not increase the objective
					if !(tr.MSE <= tr.StartMSE*(1+1e-12)) {
						t.Errorf("%s: training takes the error from %g to %g", set, tr.StartMSE, tr.MSE)
					}
				}
				average += mean / float64(len(paperSets))
				sets++
			}
			if off > c.off || far > c.far {
				t.Errorf("%d sets are not as docs/lab/lder.md says, %d not as elsewhere", off, far)
			}
			if !c.all {
				if sets != 8 {
					t.Errorf("%d sets run, want 8", sets)
				}
				return
			}
			t.Logf("average %.4f", average)
			if sets != 17 || !(average >= c.lo && average <= c.hi) {
				t.Errorf("average FVU %.4f over %d sets, want %g to %g over 17", average, sets, c.lo, c.hi)
			}
		})
	}
}
