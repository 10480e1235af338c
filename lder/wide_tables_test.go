//go:build !race

package lder_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

// TestWideTables: what is claimed of new rows is true of them within the luck of
// the sample, noise is not taken for a signal, and on the whole predictions are
// no worse than those of a ridge regression whose penalty leave-one-out errors
// choose.
func TestWideTables(t *testing.T) {
	for _, m := range []lder.Method{lder.Auto, lder.Ensemble} {
		t.Run(m.String(), func(t *testing.T) {
			against, truth := 0.0, 0.0
			tables, claims, far, fooled, noises := 0, 0, 0, 0, 0
			for _, w := range wideTables() {
				rng := rand.New(rand.NewPCG(uint64(w.m*1000+w.n), uint64(w.signal)<<8|uint64(w.kind[0])))
				x, y, testX, testY := w.draw(rng, 1000)
				r := fitted(t, x, y, lder.MethodSettings(m))
				fvu := dataset.FVU(testY, predictions(t, r, testX))
				against += math.Log(fvu / dataset.FVU(testY, ridgeCV(t, x, y, testX)))
				tables++
				oob := r.Training.OOB
				if oob >= 0 {
					truth += math.Log(fvu / oob)
					claims++
					if fvu > 2*oob {
						t.Logf("%+v: claims %.3f, the truth is %.3f", w, oob, fvu)
						far++
					}
				}
				if w.kind == "noise" {
					noises++
					if oob >= 0 && oob < .9 {
						fooled++
					}
				}
			}
			against, truth = math.Exp(against/float64(tables)), math.Exp(truth/float64(claims))
			t.Logf("%d tables: FVU %.3f times that of ridge regression; %d claims, the truth is %.3f times what they say; %d of %d tables of noise taken for a signal",
				tables, against, claims, truth, fooled, noises)
			if !(against <= 1) {
				t.Errorf("FVU %.3f times that of ridge regression", against)
			}
			if !(truth > .85 && truth < 1.15) || claims < tables/2 {
				t.Errorf("%d claims of %d, the truth is %.3f times what they say", claims, tables, truth)
			}
			if 10*far > claims { // by chance: a claim rests on some 30 rows
				t.Errorf("the truth is twice what %d claims say", far)
			}
			if fooled > 0 {
				t.Errorf("%d of %d tables of noise are taken for a signal", fooled, noises)
			}
		})
	}
}
