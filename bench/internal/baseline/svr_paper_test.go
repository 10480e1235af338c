//go:build !race

package baseline_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/lder/dataset"
)

// TestSVRPaper: on the paper's sets and folds the means are the paper's.
func TestSVRPaper(t *testing.T) {
	dir := shared.Path(t, "data", "pmlb")
	for set, want := range paperSVR {
		table, err := dataset.ReadFile(filepath.Join(dir, set+".tsv.gz"), dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := table.Supervised("target", dataset.Selection{Text: dataset.Refuse, Constant: dataset.Refuse})
		if err != nil {
			t.Fatal(err)
		}
		folds, err := dataset.ShuffledKFold(len(d.Y), 5, 1)
		if err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for _, fold := range folds {
			mean += fvu(t, d, fold) / float64(len(folds))
		}
		if !(math.Abs(mean-want) <= 0.01) {
			t.Errorf("%s: mean FVU %.4f, the paper has %.3f", set, mean, want)
		}
	}
}
