package baseline_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/baseline"
)

func elmSamples(rows int) (x [][]float64, y []float64) {
	rng := rand.New(rand.NewPCG(8, 1))
	for range rows {
		row := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		x, y = append(x, row), append(y, max(row[0], row[1])+0.3*row[2])
	}
	return x, y
}

// TestELM: with more neurons than rows it goes through all targets; with fewer,
// its errors are orthogonal to what any one weight adds; and the same seed draws
// the same neurons.
func TestELM(t *testing.T) {
	x, y := elmSamples(60)
	full, err := baseline.FitELM(x, y, baseline.DefaultELM())
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range x {
		if !(math.Abs(full.Predict(row)-y[i]) <= 1e-6) {
			t.Errorf("row %d: %g, want %g", i, full.Predict(row), y[i])
		}
	}
	set := baseline.ELMSettings{Linear: 7, Morphological: 8, Seed: 4}
	few, err := baseline.FitELM(x, y, set)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := baseline.FitELM(x, y, set)
	set.Seed++
	other, _ := baseline.FitELM(x, y, set)
	// Fitted to other targets with the same seed, a model is a combination of
	// the same neurons.
	set.Seed--
	rng := rand.New(rand.NewPCG(5, 5))
	for range 5 {
		noise := make([]float64, len(y))
		for i := range noise {
			noise[i] = rng.NormFloat64()
		}
		along, err := baseline.FitELM(x, noise, set)
		if err != nil {
			t.Fatal(err)
		}
		dot, size := 0.0, 0.0
		for i, row := range x {
			a := along.Predict(row)
			dot += (y[i] - few.Predict(row)) * a
			size += math.Abs(y[i]-few.Predict(row)) * math.Abs(a)
		}
		if !(math.Abs(dot) <= 1e-8*size) {
			t.Errorf("the errors are not orthogonal to the neurons: %g of %g", dot, size)
		}
	}
	at := []float64{0.1, 0.2, 0.3}
	if few.Predict(at) != again.Predict(at) || few.Predict(at) == other.Predict(at) {
		t.Errorf("%g, again %g, another seed %g", few.Predict(at), again.Predict(at), other.Predict(at))
	}
	// The morphological neurons alone are piecewise linear with slopes 0 and 1
	// along the diagonal: a combination of them is affine far out.
	wide, err := baseline.FitELM(x, y, baseline.ELMSettings{Morphological: 9})
	if err != nil {
		t.Fatal(err)
	}
	f := func(v float64) float64 { return wide.Predict([]float64{v, 0, 0}) }
	if d := f(30) - 2*f(20) + f(10); !(math.Abs(d) <= 1e-9*max(1, math.Abs(f(30)))) {
		t.Errorf("bent far out: %g", d)
	}
	same, err := baseline.FitELM([][]float64{{1}, {1}}, []float64{2, 4}, baseline.DefaultELM())
	if err != nil || !(math.Abs(same.Predict([]float64{1})-3) <= 1e-9) {
		t.Errorf("equal rows: %g, %v", same.Predict([]float64{1}), err)
	}
}

func TestELMRefuses(t *testing.T) {
	if _, err := baseline.FitELM(nil, nil, baseline.DefaultELM()); err == nil || !strings.Contains(err.Error(), "samples") {
		t.Errorf("no samples: %v", err)
	}
}
