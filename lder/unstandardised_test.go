package lder_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/lder"
)

// TestUnstandardised: the coefficients in the data's own units give the predictions,
// the first piece of the second maximum is 0, and the shares of the pieces are
// those of the rows where they are largest.
func TestUnstandardised(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	x := normalRows(rng, 80, 3)
	for _, row := range x {
		row[0], row[2] = 1e3*row[0]+5e3, 1e-3*row[2]
	}
	y := make([]float64, len(x))
	for i, row := range x {
		y[i] = math.Abs(row[0]-5e3)/1e3 - max(row[1], 1e3*row[2])
	}
	for _, m := range []lder.Method{lder.CCP, lder.Refit, lder.Auto} {
		r := fitted(t, x, y, lder.MethodSettings(m))
		model, err := r.Unstandardised()
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(append(slices.Clone(model.M[0]), model.B[0]), func(v float64) bool { return v != 0 }) {
			t.Errorf("%v: the first piece of the second maximum is %v, %g", m, model.M[0], model.B[0])
		}
		p := predictions(t, r, x)
		w, v := r.Shares()
		share := make([]float64, len(w))
		for i, row := range x {
			if got := r.Clip.Clip(model.Predict(row)); math.Abs(got-p[i]) > 1e-9 {
				t.Errorf("%v, row %d: %g, want %g", m, i, got, p[i])
			}
			k, _ := model.Active(row)
			share[k] += 1 / float64(len(x))
		}
		sum := 0.0
		for k := range w {
			sum += w[k]
			if math.Abs(w[k]-share[k]) > .03 { // ties
				t.Errorf("%v: piece %d has %g of the rows, want %g", m, k, w[k], share[k])
			}
		}
		for _, s := range v {
			sum += s
		}
		if math.Abs(sum-2) > 1e-9 {
			t.Errorf("%v: the shares of the two maxima sum to %g", m, sum)
		}
	}
	stack := fitted(t, x, y, lder.MethodSettings(lder.Cheap))
	if _, err := stack.Unstandardised(); err == nil || !strings.Contains(err.Error(), "no coefficients") {
		t.Errorf("stack: %v", err)
	}
	if w, v := stack.Shares(); w != nil || v != nil {
		t.Errorf("a stack has shares %v, %v", w, v)
	}
	if _, err := lder.NewRegressor(lder.DefaultSettings()).Unstandardised(); err == nil {
		t.Error("unfitted")
	}
}
