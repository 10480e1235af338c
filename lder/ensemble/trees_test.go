package ensemble

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// TestTrees: at the rows the l-DERs of the leaves sum to the trees, between them to
// something of no other size, for any number of goroutines; a step is predicted out of
// sample where a line cannot.
func TestTrees(t *testing.T) {
	ctx := context.Background()
	b, s := stepBagging(t, 150, 3, 3)
	res, err := b.trees(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	last := len(treeStops) - 1
	mse, variance := 0.0, s.d.Variance()
	for i, p := range res.oof[last] {
		mse += (s.d.Y[i] - p) * (s.d.Y[i] - p) / float64(s.d.M)
	}
	if !(mse < .4*variance) {
		t.Errorf("mean squared error %g on rows not seen, variance %g", mse, variance)
	}
	w := make([]float64, len(treeStops))
	w[last] = 1
	binned, err := newBinned(ctx, s.d)
	if err != nil {
		t.Fatal(err)
	}
	for k, chain := range res.chains {
		only := treeSums{chains: []treeChain{chain}}
		value := func(x []float64) float64 { return valueOf(only.chainsOf(w), x, Unclipped()) }
		g := newGrower(s.d, binned, b.bags[k].train, b.rng(stageTrees, k))
		if _, err := g.boost(ctx, binned.among(nil), func(int, []float64) {}); err != nil {
			t.Fatal(err)
		}
		lo, hi := slices.Min(g.sum), slices.Max(g.sum)
		for i := range s.d.M {
			x := s.d.Row(i)[:3]
			if v := value(x); math.Abs(v-g.sum[i]) > 1e-9 {
				t.Fatalf("bag %d, row %d: %g, the trees say %g", k, i, v, g.sum[i])
			}
			if i == 0 {
				continue
			}
			before := s.d.Row(i - 1)
			middle := []float64{(x[0] + before[0]) / 2, (x[1] + before[1]) / 2, (x[2] + before[2]) / 2}
			if v := value(middle); v < lo-.5*(hi-lo) || v > hi+.5*(hi-lo) {
				t.Errorf("bag %d, between rows %d and %d: %g, at the rows %g to %g", k, i-1, i, v, lo, hi)
			}
		}
	}
	alone, _ := stepBagging(t, 150, 3, 1)
	again, err := alone.trees(ctx, nil)
	if err != nil || !slices.Equal(again.oof[0], res.oof[0]) || !slices.Equal(again.oof[last], res.oof[last]) {
		t.Errorf("one goroutine gives others, %v", err)
	}
}

// TestTreesDegenerate: constant, equal and two-valued features, rows without a weight,
// and few rows.
func TestTreesDegenerate(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name   string
		change func(d *refit.Data)
		none   bool
	}{
		{"constant features", func(d *refit.Data) {
			for i := range d.M {
				copy(d.Row(i), []float64{2, 2, 2})
			}
		}, true},
		{"features that differ by rounding", func(d *refit.Data) {
			for i := range d.M {
				copy(d.Row(i), []float64{1e-12 * d.Row(i)[0], 0, 0})
			}
		}, true},
		{"two values", func(d *refit.Data) {
			for i := range d.M {
				copy(d.Row(i), []float64{float64(i % 2), float64(i % 2), 0})
			}
		}, false},
		{"few rows", func(d *refit.Data) { d.M, d.X, d.Y = 10, d.X[:40], d.Y[:10] }, true},
		{"weights", func(d *refit.Data) {
			d.W = make([]float64, d.M)
			for i := range 30 {
				d.W[i] = 1. / 30
			}
			for i := 30; i < d.M; i++ {
				d.Y[i] = 1e6
			}
		}, false},
		{"constant target", func(d *refit.Data) { clear(d.Y) }, false},
	} {
		_, s := stepBagging(t, 120, 3, 2)
		c.change(s.d)
		b := newBagging(s, 1, 1, 2)
		res, err := b.trees(ctx, nil)
		if err != nil || (res == nil) != c.none {
			t.Errorf("%s: %v, %v", c.name, res != nil, err)
		}
		if res == nil {
			continue
		}
		for _, w := range [][]float64{{1, 0, 0}, {.3, .3, .4}} {
			for _, chain := range res.chainsOf(w) {
				for after, s := 0, 0; s < len(chain.Stops); s++ {
					if chain.Stops[s].After <= after {
						t.Errorf("%s: stops %v", c.name, chain.Stops)
					}
					after = chain.Stops[s].After
				}
			}
			for i := range 30 {
				if v := valueOf(res.chainsOf(w), s.d.Row(i)[:3], Unclipped()); !(math.Abs(v) < 3) {
					t.Fatalf("%s: row %d has %g", c.name, i, v)
				}
			}
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	b, _ := stepBagging(t, 150, 3, 1)
	if res, err := b.trees(cancelled, nil); err == nil || res != nil {
		t.Errorf("cancelled: %v", err)
	}
}

// TestSubset: sets of the right size, each number as often as another.
func TestSubset(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	var count [6]int
	for range 6000 {
		some := subset(nil, 6, 2, rng)
		if len(some) != 2 || some[0] >= some[1] {
			t.Fatal(some)
		}
		count[some[0]]++
		count[some[1]]++
	}
	for i, n := range count {
		if math.Abs(float64(n)-2000) > 6*math.Sqrt(6000*2./9) {
			t.Errorf("%d is drawn %d times of 6000, want 2000", i, n)
		}
	}
	if all := subset(nil, 3, 5, rng); !slices.Equal(all, []int{0, 1, 2}) {
		t.Error(all)
	}
}
