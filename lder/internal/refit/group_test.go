package refit

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// bentData has the target |x_0| + max(x_1, 0) of n features, with noise.
func bentData(rng *rand.Rand, m, n int) *Data {
	d := &Data{M: m, N: n + 1}
	for range m {
		for range n {
			d.X = append(d.X, rng.NormFloat64())
		}
		x := d.X[len(d.X)-n:]
		d.Y = append(d.Y, math.Abs(x[0])+max(0, x[1])-1.2+.2*rng.NormFloat64())
		d.X = append(d.X, 1)
	}
	return d
}

// TestGroupPenalty: along the path no step raises the objective, which is the mean squared
// error with both penalties; features that mean nothing get slopes 0 before the others, whose
// slopes are not shrunk; in the end all are 0.
func TestGroupPenalty(t *testing.T) {
	ctx := context.Background()
	zeros := 0
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 5))
		d := bentData(rng, 300, 8)
		var f Fitter
		opt := Options{R1: 3, R2: 2, Penalty: Penalty{Linear: 1e-3, Pieces: 1e-2}, MaxIter: 30, Tol: 1e-6}
		for range 5 { // a start of the right shape
			var g Fitter
			if err := g.Cold(ctx, d, opt, rng); err != nil {
				t.Fatal(err)
			}
			if f.Pieces == nil || g.Objective < f.Objective {
				f = g
			}
		}
		dense := f.norms()
		before := 0.0
		opt.Record = func(_ int, objective float64) error {
			if objective > before*(1+1e-12) {
				t.Errorf("seed %d: the objective rises from %g to %g", seed, before, objective)
			}
			before = objective
			return nil
		}
		for _, λ := range []float64{.01, .03, .1} {
			opt.Penalty.Group = λ
			before = math.Inf(1)
			if err := f.Again(ctx, opt); err != nil {
				t.Fatal(err)
			}
			want := f.pen.value(f.θ, d.N)
			for i, y := range d.Y {
				e := y - Eval(f.Pieces, 3, d.Row(i))
				want += e * e / float64(d.M)
			}
			for _, n := range f.norms() {
				if n < 3*λ {
					want += λ*n - n*n/6
				} else {
					want += 1.5 * λ * λ
				}
			}
			if math.Abs(f.Objective-want) > 1e-9 {
				t.Errorf("seed %d, λ = %g: objective %g, want %g", seed, λ, f.Objective, want)
			}
		}
		for j, n := range f.norms() {
			if j > 1 && n > .01 {
				t.Errorf("seed %d: feature %d has slopes of norm %g", seed, j, n)
			}
			if n == 0 {
				zeros++
			}
			if j < 2 && !(n > .9*dense[j]) {
				t.Errorf("seed %d: the slopes of feature %d shrink from %g to %g", seed, j, dense[j], n)
			}
		}
		opt.Penalty.Group, before = 100, math.Inf(1)
		if err := f.Again(ctx, opt); err != nil {
			t.Fatal(err)
		}
		for j, n := range f.norms() {
			if n != 0 {
				t.Errorf("seed %d: feature %d has slopes of norm %g at the end of the path", seed, j, n)
			}
		}
	}
	if zeros < 20 {
		t.Errorf("%d of the 24 features that mean nothing have slopes 0, want 20", zeros)
	}
}

// norms are those of the slopes of the features.
func (f *Fitter) norms() []float64 {
	var all []float64
	for j := range f.d.N - 1 {
		all = append(all, math.Sqrt(f.product(f.θ, f.θ, j)))
	}
	return all
}
