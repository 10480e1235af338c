//go:build !race

package lder_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

// TestPoorFeatures: features that are constant, missing everywhere, copies of others or
// multiples of them, and all of these at once, leave the fit as good as without them.
func TestPoorFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 7))
	x := normalRows(rng, 620, 3)
	y := bent(rng, x, .1)
	x, y, test, truth := x[:120], y[:120], x[120:], y[120:]
	methods := []lder.Method{lder.Refit, lder.Auto, lder.Cheap, lder.Ensemble}
	plain := map[lder.Method]float64{}
	for _, m := range methods {
		plain[m] = dataset.FVU(truth, predictions(t, fitted(t, x, y, lder.MethodSettings(m)), test))
	}
	type kind struct {
		name  string
		extra func(row []float64) []float64
	}
	for _, c := range []kind{
		{"constant", func([]float64) []float64 { return []float64{3, 0, -1e9} }},
		{"missing", func([]float64) []float64 { return []float64{math.NaN()} }},
		{"copies", func(row []float64) []float64 { return row }},
		{"multiples", func(row []float64) []float64 { return []float64{1e9 * row[0], -1e-9 * row[1], row[0] + row[1]} }},
		{"all", func(row []float64) []float64 {
			return append(append([]float64{3, math.NaN()}, row...), row[0]+row[1], 5*row[2])
		}},
	} {
		widened := func(rows [][]float64) [][]float64 {
			var out [][]float64
			for _, row := range rows {
				out = append(out, append(append([]float64(nil), row...), c.extra(row)...))
			}
			return out
		}
		for _, m := range methods {
			r := fitted(t, widened(x), y, lder.MethodSettings(m))
			got := dataset.FVU(truth, predictions(t, r, widened(test)))
			t.Logf("%s, %v: FVU %.4f, %.4f without them", c.name, m, got, plain[m])
			if r.Training.Status != ccp.Converged || !(got < 1.5*plain[m]+.02) {
				t.Errorf("%s, %v: FVU %g, %g without them; %+v", c.name, m, got, plain[m], r.Training)
			}
		}
	}
}

// TestVeryWide: of hundreds of features, more than rows, few are used, the one that counts
// among them.
func TestVeryWide(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 8))
	x := normalRows(rng, 60, 200)
	y := make([]float64, len(x))
	for i, row := range x {
		y[i] = 2*math.Abs(row[123]) + .1*rng.NormFloat64()
	}
	r := fitted(t, x, y, lder.DefaultSettings())
	if used := r.Used(); len(used) > 10 || !slices.Contains(used, 123) || !(r.Training.OOB < .1) {
		t.Errorf("features %v, %+v", used, r.Training)
	}
}
