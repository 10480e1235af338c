package ensemble

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/lder/internal/refit"
)

// plansTested are the kinds of trees of small and of large tables.
func plansTested() []treePlan {
	return slices.Concat(treePlans(0), treePlans(someRows), treePlans(manyRows))
}

// growTrees boosts the rows of b by a plan.
func growTrees(t *testing.T, b *bagging, plan treePlan) *treeSums {
	t.Helper()
	s, err := newBinned(context.Background(), b.d)
	if err != nil {
		t.Fatal(err)
	}
	res, err := b.trees(context.Background(), nil, s, plan)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestTrees: at the rows a chain is the sum of the grower, between them something of no
// other size, and everywhere the sum of the l-DERs of the leaves; a step is predicted out of
// sample where a line cannot; the number of goroutines changes nothing.
func TestTrees(t *testing.T) {
	step := 1 // between the rows that are compared
	if shared.Race {
		step = 13
	}
	for _, plan := range shared.Sample(t, 3, plansTested()) {
		b, s := stepBagging(t, 150, 3, 3)
		res := growTrees(t, b, plan)
		last := len(plan.stops) - 1
		mse, variance := 0.0, s.d.Variance()
		for i, p := range res.oof[last] {
			mse += (s.d.Y[i] - p) * (s.d.Y[i] - p) / float64(s.d.M)
		}
		if !(mse < .4*variance) {
			t.Errorf("%+v: mean squared error %g on rows not seen, variance %g", plan, mse, variance)
		}
		w := make([]float64, len(plan.stops))
		w[last] = 1
		for k, chain := range res.chains {
			only := treeSums{plan: plan, chains: []treeChain{chain}}
			chains := only.chainsOf(w)
			leaves := []Chain{{Stops: []Stop{{Weight: 1}}}}
			for _, p := range chains[0].Parts {
				if p.Tree == nil {
					leaves[0].Parts = append(leaves[0].Parts, p)
					continue
				}
				if err := p.Tree.Validate(3); err != nil {
					t.Fatal(err)
				}
				leaves[0].Parts = append(leaves[0].Parts, p.Tree.Parts()...)
			}
			leaves[0].Stops[0].After = len(leaves[0].Parts)
			held := heldBy(b, k, len(res.chains))
			lo, hi := slices.Min(s.d.Y), slices.Max(s.d.Y)
			for i := 0; i < s.d.M; i += step {
				x := s.d.Row(i)[:3]
				v := valueOf(chains, x, Unclipped())
				if slices.Contains(held, i) && math.Abs(b.clip.Clip(v)-res.oof[last][i]) > 1e-9 {
					t.Fatalf("chain %d, row %d: %g, predicted as %g", k, i, v, res.oof[last][i])
				}
				if i == 0 {
					continue
				}
				before := s.d.Row(i - 1)
				middle := []float64{(x[0] + before[0]) / 2, (x[1] + before[1]) / 2, (x[2] + before[2]) / 2}
				v = valueOf(chains, middle, Unclipped())
				if !plan.linear && (v < lo-.5*(hi-lo) || v > hi+.5*(hi-lo)) {
					t.Errorf("chain %d, between rows %d and %d: %g, targets from %g to %g", k, i-1, i, v, lo, hi)
				}
				for _, at := range [][]float64{x, middle, {x[0] + 1e-3, before[1], 3}} {
					if u, v := valueOf(leaves, at, Unclipped()), valueOf(chains, at, Unclipped()); math.Abs(u-v) > 1e-7*(1+math.Abs(v)) {
						t.Fatalf("chain %d at %v: the leaves sum to %g, the trees to %g", k, at, u, v)
					}
				}
			}
		}
		alone, _ := stepBagging(t, 150, 3, 1)
		again := growTrees(t, alone, plan)
		for stop := range res.oof {
			if !slices.Equal(again.oof[stop], res.oof[stop]) {
				t.Errorf("%+v: one goroutine gives others", plan)
			}
		}
	}
}

// heldBy are the rows that chain k of n has not seen.
func heldBy(b *bagging, k, n int) (rows []int) {
	for f := k; f < b.folds; f += n {
		rows = append(rows, b.bags[f].hold...)
	}
	return rows
}

// TestTreeOverlap: where ramps of several splits overlap, the way through the tree is the
// sum of the l-DERs of its leaves; the scale multiplies it.
func TestTreeOverlap(t *testing.T) {
	tree := Tree{Nodes: []TreeNode{
		{Feature: 0, Lo: 0, Hi: 1, Next: 1},
		{Feature: 1, Lo: -1, Hi: 1, Next: 3},
		{Feature: 0, Lo: 2, Hi: 3, Next: 5},
		{Value: 1, Least: 0, Most: 1},
		{Value: -2, Least: -2, Most: 0},
		{Value: .5, On: []int{1}, Slopes: []float64{2}, Least: -1, Most: 3},
		{Value: 4, On: []int{0, 2}, Slopes: []float64{-1, 1}, Least: 0, Most: 2},
	}}
	if err := tree.Validate(3); err != nil {
		t.Fatal(err)
	}
	chain := []Chain{{Parts: tree.Parts(), Stops: []Stop{{Weight: 1}}}}
	chain[0].Stops[0].After = len(chain[0].Parts)
	rng := rand.New(rand.NewPCG(4, 4))
	var points [][]float64
	for range 2000 {
		x := []float64{4*rng.Float64() - .5, 3*rng.Float64() - 1.5, 6*rng.Float64() - 3}
		points = append(points, x)
		if u, v := valueOf(chain, x, Unclipped()), tree.At(x); math.Abs(u-v) > 1e-12 {
			t.Fatalf("at %v: the leaves sum to %g, the tree is %g", x, u, v)
		}
	}
	var before []float64
	for _, x := range points {
		before = append(before, tree.At(x))
	}
	tree.Scale(3)
	for k, x := range points {
		if v := tree.At(x); math.Abs(v-3*before[k]) > 1e-12 {
			t.Fatalf("at %v: %g times 3 is %g", x, before[k], v)
		}
	}
}

// TestTreeRefused: nodes out of order, twice or never reached, numbers out of range.
func TestTreeRefused(t *testing.T) {
	leaf := TreeNode{Value: 1, Most: 1}
	split := func(next int) TreeNode { return TreeNode{Feature: 1, Hi: 1, Next: next} }
	for _, c := range []struct {
		nodes []TreeNode
		want  string
	}{
		{nil, "no nodes"},
		{[]TreeNode{leaf, leaf}, "no split leads to node 1"},
		{[]TreeNode{split(0)}, ""}, // a leaf of value 0
		{[]TreeNode{split(1), leaf}, "node 0 of the tree leads to node 1 of 2"},
		{[]TreeNode{split(1), split(1), leaf}, "leads to node 1 of 3, want 3"},
		{[]TreeNode{split(2), leaf, leaf, leaf}, "want 1"},
		{[]TreeNode{split(-1), leaf, leaf}, "want 1"},
		{[]TreeNode{{Feature: 2, Hi: 1, Next: 1}, leaf, leaf}, "feature 2, want 0 to 1"},
		{[]TreeNode{{Feature: -1, Hi: 1, Next: 1}, leaf, leaf}, "feature -1, want 0 to 1"},
		{[]TreeNode{{Lo: 1, Hi: 1, Next: 1}, leaf, leaf}, "a ramp from 1 to 1"},
		{[]TreeNode{{Value: math.NaN()}}, "not finite"},
		{[]TreeNode{{Value: 1, Least: .5, Most: 1}}, "want an interval with 0"},
		{[]TreeNode{{On: []int{1}}}, "0 slopes for 1 features"},
		{[]TreeNode{{On: []int{5}, Slopes: []float64{1}}}, "feature 5"},
	} {
		tree := Tree{c.nodes}
		err := tree.Validate(2)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.nodes, err, c.want)
		}
	}
}

// TestTreesDegenerate: constant, equal and two-valued features, rows without a weight,
// and few rows.
func TestTreesDegenerate(t *testing.T) {
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
		for _, plan := range shared.Sample(t, 3, plansTested()) {
			res := growTrees(t, b, plan)
			if (res == nil) != c.none {
				t.Errorf("%s: %v", c.name, res != nil)
			}
			if res == nil {
				continue
			}
			stops := len(plan.stops)
			for _, w := range [][]float64{[]float64{1, 0, 0, 0}[:stops], []float64{.3, .3, .4, 0}[:stops]} {
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
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	b, _ := stepBagging(t, 150, 3, 1)
	if res, err := b.allTrees(cancelled, nil, true); err == nil || res != nil {
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
