package platt

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// TestSigmoid: the logistic function that drew the targets is found; decisions
// that separate the classes, or say the opposite of them, give numbers in (0, 1).
func TestSigmoid(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	const m = 20000
	τ, y := make([]float64, m), make([]float64, m)
	truth := Sigmoid{Slope: 2.5, Offset: -.7}
	for i := range τ {
		τ[i], y[i] = 2.4*rng.Float64()-1.2, -1
		if rng.Float64() < truth.At(τ[i]) {
			y[i] = 1
		}
	}
	got := Fit(τ, y, &refit.Data{M: m})
	if math.Abs(got.Slope-truth.Slope) > .1 || math.Abs(got.Offset-truth.Offset) > .1 {
		t.Errorf("%+v, want %+v", got, truth)
	}
	// The same with half of the rows, each of twice the weight.
	w := make([]float64, m)
	for i := range m / 2 {
		w[i] = 2. / m
	}
	half := Fit(τ[:m/2], y[:m/2], &refit.Data{M: m / 2})
	weighted := Fit(τ, y, &refit.Data{M: m, W: w})
	if math.Abs(half.Slope-weighted.Slope) > .01 || math.Abs(half.Offset-weighted.Offset) > .01 {
		t.Errorf("half %+v, by weights %+v", half, weighted)
	}
	for _, sign := range []float64{1, -1} {
		τ, y := []float64{-.9, -.5, -.2, .3, .8}, []float64{-1, -1, -1, 1, 1}
		for i := range y {
			y[i] *= sign
		}
		s := Fit(τ, y, &refit.Data{M: len(τ)})
		for _, v := range []float64{-1e300, -1, 0, 1, 1e300} {
			if p := s.At(v); !(p > 0 && p < 1) || s.Slope < 0 {
				t.Errorf("sign %g: probability %g at %g by %+v", sign, p, v, s)
			}
		}
		if sign > 0 && !(s.At(-1) < .3 && s.At(1) > .7) {
			t.Errorf("separated classes have probabilities %g and %g", s.At(-1), s.At(1))
		}
	}
}
