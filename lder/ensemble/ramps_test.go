package ensemble

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
	for i := range m {
		for range n {
			d.X = append(d.X, rng.NormFloat64())
		}
		d.X = append(d.X, 1)
		d.Y = append(d.Y, .2*rng.NormFloat64())
		if d.X[i*(n+1)] > .3 {
			d.Y[i]++
		}
	}
	s := &sample{d: d, clip: Range{-1, 2}}
	return newBagging(s, 2, 1, workers), s
}

// valueOf is the value of chains at x.
func valueOf(chains []Chain, x []float64, clip Range) float64 {
	sum := 0.0
	for _, c := range chains {
		f, at := 0.0, 0
		for _, s := range c.Stops {
			for ; at < s.After; at++ {
				p := c.Parts[at]
				if p.Tree != nil {
					f += p.Tree.At(x)
					continue
				}
				z := make([]float64, 0, len(x)+1)
				if p.Features == nil {
					z = append(z, x...)
				}
				for _, j := range p.Features {
					z = append(z, x[j])
				}
				f += refit.Eval(p.Pieces, p.R1, append(z, 1))
			}
			sum += s.Weight * clip.Clip(f)
		}
	}
	return sum
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
	e := r.chainsOf(1)
	parts := 0
	for _, c := range e {
		for _, p := range c.Parts {
			parts++
			if len(p.Pieces) != 4*(len(p.Features)+1) || p.R1 != 2 {
				t.Fatalf("%+v", p)
			}
		}
	}
	if parts != rampDraws*rampCount {
		t.Errorf("%d l-DERs", parts)
	}
	rng := rand.New(rand.NewPCG(17, 2))
	for range 20 {
		x, far := make([]float64, 3), make([]float64, 3)
		for j := range x {
			v := rng.NormFloat64()
			x[j], far[j] = 1e4*v, 1e7*v
		}
		at, beyond := valueOf(e, x, Unclipped()), valueOf(e, far, Unclipped())
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
		f := valueOf(e, row[:3], s.clip)
		if math.Abs(f-sum) > 1e-9 {
			t.Fatalf("row %d: %g, the parts sum to %g", i, f, sum)
		}
		errs += (y - r.oof[i]) * (y - r.oof[i]) / float64(b.d.M)
		trained += (y - f) * (y - f) / float64(b.d.M)
	}
	line := s.d.Mean(squaredErrors(b.d, fitRidge(b.d, linearWeights()).loo, s.clip))
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
	for _, r := range drawRamps(constant, nil, rand.New(rand.NewPCG(17, 3))) {
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
		T, err := b.gradientTransform(context.Background(), nil)
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
