//go:build !race

package lder_test

import (
	"testing"

	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

// TestWideCases: of ten rows of noise, and of two and three rows, no method
// knows its accuracy, and those that choose predict little worse than the mean;
// where there is a signal, they find it.
func TestWideCases(t *testing.T) {
	for _, c := range []struct {
		file, target string
		most         float64 // test FVU of the methods that choose
		known        bool
	}{
		{"noise_10_12", "y", 1.3, false},
		{"wide", "y", .11, true},
		{"two", "price", 0, false},
		{"three", "price", 0, false},
	} {
		d := caseTable(t, c.file+".csv", c.target)
		for _, m := range lder.Methods() {
			if m < lder.Refit && c.known {
				continue // slow, and they claim nothing
			}
			r := fitted(t, d.X, d.Y, lder.MethodSettings(m))
			oob := r.Training.OOB
			if known := c.known && m.Chooses(); (oob >= 0) != known {
				t.Errorf("%s, %v: claims an FVU of %g", c.file, m, oob)
			}
			if !m.Chooses() || c.most == 0 {
				continue
			}
			test := caseTable(t, c.file+"_test.csv", c.target)
			fvu := dataset.FVU(test.Y, predictions(t, r, test.X))
			t.Logf("%s, %v: claimed %.4f, on the test rows %.4f", c.file, m, oob, fvu)
			if !(fvu <= c.most) {
				t.Errorf("%s, %v: FVU %g on the test rows, want at most %g", c.file, m, fvu, c.most)
			}
			if c.known && !(oob > .6*fvu) {
				t.Errorf("%s, %v: claims %g, on the test rows %g", c.file, m, oob, fvu)
			}
		}
	}
}
