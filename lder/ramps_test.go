package lder

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// stepBagging has a target that is a step in the first of n features, with
// noise.
func stepBagging(t *testing.T, m, n, workers int) (*bagging, *sample) {
	t.Helper()
	rng := rand.New(rand.NewPCG(17, 1))
	d := &refit.Data{M: m, N: n + 1}
	rows := make([][]float64, m)
	for i := range rows {
		for range n {
			d.X = append(d.X, rng.NormFloat64())
		}
		d.X = append(d.X, 1)
		d.Y = append(d.Y, .2*rng.NormFloat64())
		if d.X[i*(n+1)] > .3 {
			d.Y[i]++
		}
	}
	for i := range rows {
		rows[i] = d.Row(i)[:n:n]
	}
	s, _, _ := newSample(d, rows, false)
	return newBagging(s, 2, 1, workers), s
}

// TestRamps: the sums are bounded, constant far out along any line, what the
// ensemble says they are, and predict a step out of sample where a line cannot.
func TestRamps(t *testing.T) {
	ctx := context.Background()
	b, s := stepBagging(t, 150, 3, 3)
	r, err := b.ramps(ctx)
	if err != nil {
		t.Fatal(err)
	}
	e := &Ensemble{Chains: r.chainsOf(1)}
	if err := e.Validate(3); err != nil {
		t.Fatal(err)
	}
	if models, pieces := e.Size(); models != rampDraws*rampCount || pieces != 4*models {
		t.Errorf("%d l-DERs of %d pieces", models, pieces)
	}
	scratch := make([]float64, 4)
	rng := rand.New(rand.NewPCG(17, 2))
	for range 20 {
		x, far := make([]float64, 3), make([]float64, 3)
		for j := range x {
			v := rng.NormFloat64()
			x[j], far[j] = 1e4*v, 1e7*v
		}
		at, beyond := e.Predict(x, Everything(), scratch), e.Predict(far, Everything(), scratch)
		if !(math.Abs(at) < 10) || math.Abs(at-beyond) > 1e-6 {
			t.Errorf("%g far out, %g farther", at, beyond)
		}
	}
	errs, trained := 0.0, 0.0
	for i, y := range b.d.Y {
		row := b.d.Row(i)
		sum := 0.0
		for _, parts := range r.sums {
			f := 0.0
			for _, p := range parts {
				x := make([]float64, 0, 3)
				for _, j := range p.features {
					x = append(x, row[j])
				}
				f += refit.Eval(p.pieces, 2, append(x, 1))
			}
			sum += s.clip.Clip(f) / rampDraws
		}
		f := e.Predict(row[:3], s.clip, scratch)
		if math.Abs(f-sum) > 1e-9 {
			t.Fatalf("row %d: %g, the parts sum to %g", i, f, sum)
		}
		errs += (y - r.oof[i]) * (y - r.oof[i]) / float64(b.d.M)
		trained += (y - f) * (y - f) / float64(b.d.M)
	}
	line := s.mean(squaredErrors(b.d, fitRidge(b.d, linearWeights()).loo, s.clip))
	if !(errs < .75*line) || !(trained < errs) {
		t.Errorf("left out %g, trained %g; a line %g", errs, trained, line)
	}
	one, _ := stepBagging(t, 150, 3, 1)
	if again, err := one.ramps(ctx); err != nil || !slices.Equal(again.oof, r.oof) {
		t.Errorf("one worker draws others: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if r, err := b.ramps(ended); r != nil || err == nil {
		t.Errorf("%v after the end", err)
	}
	if r, err := (&bagging{d: &refit.Data{M: rampRows + 1}}).ramps(ctx); r != nil || err != nil {
		t.Errorf("ramps of too many rows, %v", err)
	}
}

// TestRamp: −1 up to s, 0 from t, linear between, and part is a multiple of it,
// of either sign.
func TestRamp(t *testing.T) {
	r := ramp{features: []int{2, 0}, w: []float64{.6, -.8}, s: -.5, t: 1.5}
	for _, c := range []struct{ u, want float64 }{{-3, -1}, {-.5, -1}, {0, -.75}, {.5, -.5}, {1.5, 0}, {9, 0}} {
		row := []float64{-.8 * c.u, 7, .6 * c.u, 1}
		if got := r.at(row); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("at %g: %g, want %g", c.u, got, c.want)
		}
		for _, k := range []float64{3, -2} {
			p := r.part(k)
			if got := refit.Eval(p.pieces, 2, []float64{row[2], row[0], 1}); math.Abs(got-k*c.want) > 1e-12 {
				t.Errorf("%g times the ramp at %g: %g", k, c.u, got)
			}
		}
	}
	constant := &refit.Data{M: 5, N: 2, X: []float64{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}}
	for _, r := range drawRamps(constant, rand.New(rand.NewPCG(17, 3))) {
		if !(r.t-r.s >= .99*rampWidth) || len(r.features) != 1 {
			t.Fatalf("%+v", r)
		}
	}
}

// TestOwnTransform: the targets of held rows have no part in the transform of
// their bag.
func TestOwnTransform(t *testing.T) {
	transforms := func(other bool) [][]float64 {
		b, _ := stepBagging(t, 80, 3, 2)
		if other {
			for _, i := range b.bags[4].hold {
				b.d.Y[i] = -b.d.Y[i]
			}
		}
		T, err := b.gradientTransform(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return T
	}
	own, moved := transforms(false), transforms(true)
	if len(own) != 20 || !slices.Equal(own[4], moved[4]) {
		t.Error("targets of held rows move the transform of their bag")
	}
	if slices.Equal(own[5], moved[5]) {
		t.Error("targets of trained rows do not")
	}
}
