package ensemble

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestMaxFeatures: no member has more features, and the formula no more terms.
func TestMaxFeatures(t *testing.T) {
	d := drawnData(rand.New(rand.NewPCG(5, 5)), 200, 12, 0)
	for i := range d.Y { // of eight features
		d.Y[i] = 0
		for j := range 8 {
			d.Y[i] += math.Abs(d.X[i*d.N+j])
		}
	}
	mean, scale := d.Mean(d.Y), math.Sqrt(d.Variance())
	for i := range d.Y {
		d.Y[i] = (d.Y[i] - mean) / scale
	}
	s := Problem{Data: d, Clip: Range{-10, 10}}
	used := func(p Part) int {
		n := d.N
		if p.Features != nil {
			n = len(p.Features) + 1
		}
		count := 0
		for j := range n - 1 {
			for at := 0; at < len(p.Pieces); at += n {
				if p.Pieces[at+j] != 0 {
					count++
					break
				}
			}
		}
		return count
	}
	for _, recipe := range []Recipe{Single, Cheap, Boosted} {
		res, err := Fit(context.Background(), s, Settings{Recipe: recipe, Seed: 1, Workers: 2, MaxFeatures: 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range res.Chains {
			for _, p := range c.Parts {
				if k := used(p); k > 3 {
					t.Fatalf("recipe %d: a part has %d features", recipe, k)
				}
			}
		}
	}
	for _, size := range []int{2, 9, 20, 60} {
		res, err := Fit(context.Background(), s, Settings{Recipe: Single, Seed: 1, Workers: 2, FormulaSize: size})
		if err != nil {
			t.Fatal(err)
		}
		terms := 0
		for _, v := range res.Chains[0].Parts[0].Pieces {
			if v != 0 {
				terms++
			}
		}
		if terms > size || terms == 0 {
			t.Errorf("formula size %d: %d terms", size, terms)
		}
	}
}

// TestSamplesFirst: under a deadline a model of a sample of the rows is there when the fit of all
// of them has only begun; it is better than the linear model, and of no use to a fit that ends.
func TestSamplesFirst(t *testing.T) {
	d := drawnData(rand.New(rand.NewPCG(6, 6)), sampledRows+every, 4, 0)
	for i := range d.Y {
		d.Y[i] = math.Abs(d.X[i*d.N]) + math.Abs(d.X[i*d.N+1]-0.5)
	}
	mean, scale := d.Mean(d.Y), math.Sqrt(d.Variance())
	for i := range d.Y {
		d.Y[i] = (d.Y[i] - mean) / scale
	}
	p := Problem{Data: d, Clip: Range{-10, 10}}
	set := Settings{Recipe: Single, Seed: 1, Workers: 2}
	whole, err := Fit(context.Background(), p, set)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	same, err := Fit(ctx, p, set)
	if err != nil || !slices.Equal(same.Chains[0].Parts[0].Pieces, whole.Chains[0].Parts[0].Pieces) {
		t.Errorf("%v: a deadline that does not end the fit changes it", err)
	}
	set.Progress = func(int, int) { cancel() } // in the fit of all rows
	res, err := Fit(ctx, p, set)
	if !errors.Is(err, context.Canceled) || len(res.Chains) != 1 {
		t.Fatalf("%v: %d chains", err, len(res.Chains))
	}
	s := &sample{d: d, clip: p.Clip}
	if got := s.meanError(res); got > 0.05 || len(res.Unseen) != d.M || !(res.HeldOut < 0.05) {
		t.Errorf("the mean squared error of a sample's model is %g, held out %g; the target's variance is 1", got, res.HeldOut)
	}
}
