package selection

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/lder/internal/refit"
)

// plantedData are m rows of n features, normal but for changes, with the target f of
// them and noise; the target has mean 0 and variance 1.
func plantedData(rng *rand.Rand, m, n int, noise float64, f func(x []float64) float64) *refit.Data {
	d := &refit.Data{M: m, N: n + 1}
	for range m {
		for range n {
			d.X = append(d.X, rng.NormFloat64())
		}
		d.X = append(d.X, 1)
		d.Y = append(d.Y, f(d.X[len(d.X)-n-1:])+noise*rng.NormFloat64())
	}
	mean := d.Mean(d.Y)
	scale := math.Sqrt(d.Variance())
	for i := range d.Y {
		d.Y[i] = (d.Y[i] - mean) / scale
	}
	return d
}

// TestSelectFeatures: the features of a function are found among others that mean
// nothing, and hardly any others.
func TestSelectFeatures(t *testing.T) {
	friedman := func(x []float64) float64 { // of normal features
		return 2*math.Sin(x[0]*x[1]) + x[2]*x[2] + x[3] + .5*x[4]
	}
	for _, c := range []struct {
		name  string
		m, n  int
		noise float64
		f     func(x []float64) float64
		want  []int
	}{
		{"linear", 150, 20, .5, func(x []float64) float64 { return x[3] - x[7] }, []int{3, 7}},
		{"bends", 300, 50, .3, func(x []float64) float64 { return math.Abs(x[1]) + max(0, x[4]) }, []int{1, 4}},
		{"a product alone", 400, 30, .3, func(x []float64) float64 { return x[2] * x[9] }, []int{2, 9}},
		{"five of a hundred", 400, 100, .3, friedman, []int{0, 1, 2, 3, 4}},
		{"more features than rows", 120, 400, .2, func(x []float64) float64 { return 2*x[5] + math.Abs(x[6]) }, []int{5, 6}},
	} {
		others := 0
		for seed := range uint64(shared.Times(5, 5)) {
			d := plantedData(rand.New(rand.NewPCG(seed, 17)), c.m, c.n, c.noise, c.f)
			got, err := Features(context.Background(), d)
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range c.want {
				if !slices.Contains(got, j) {
					t.Errorf("%s, seed %d: %v, want %v", c.name, seed, got, c.want)
				}
			}
			others += len(got) - len(c.want)
		}
		if others > 5 {
			t.Errorf("%s: %d others in 5 fits", c.name, others)
		}
	}
}

// TestSelectDegenerate: there is always a feature, and no panic, for features that are
// constant, equal or rows without a weight, targets that are constant, and few rows.
func TestSelectDegenerate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	linear := func(x []float64) float64 { return x[0] }
	equal := plantedData(rng, 60, 4, .1, linear)
	for i := range equal.M {
		equal.Row(i)[1] = equal.Row(i)[0]
		equal.Row(i)[2] = 0
	}
	constant := plantedData(rng, 30, 3, 0, linear)
	clear(constant.Y)
	weighted := plantedData(rng, 40, 3, .1, linear)
	weighted.W = make([]float64, 40)
	for i := range 20 {
		weighted.W[i] = 1. / 20
		weighted.Y[20+i] = 1e6
	}
	for _, c := range []struct {
		name string
		d    *refit.Data
		want []int // nil: any one
	}{
		{"equal features", equal, []int{0}},
		{"constant target", constant, nil},
		{"weights", weighted, nil},
		{"two rows", plantedData(rng, 2, 3, 0, linear), nil},
		{"noise", plantedData(rng, 50, 1, 1, func([]float64) float64 { return 0 }), []int{0}},
	} {
		got, err := Features(context.Background(), c.d)
		if err != nil || len(got) == 0 {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
		if c.name == "weights" && got[0] != 0 {
			t.Errorf("weights: %v", got)
		}
		if c.want != nil && !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestGroupDescent: each group of the result is the minimum over it of half the squared
// error and the penalty, which a search over its norm confirms.
func TestGroupDescent(t *testing.T) {
	d := plantedData(rand.New(rand.NewPCG(8, 8)), 200, 6, .3, func(x []float64) float64 { return math.Abs(x[0]) + .3*x[1] })
	root := make([]float64, d.M)
	for i := range root {
		root[i] = math.Sqrt(d.Weight(i))
	}
	a, err := newAdditive(context.Background(), d, root)
	if err != nil {
		t.Fatal(err)
	}
	const λ = .05
	if err := a.descend(context.Background(), λ); err != nil {
		t.Fatal(err)
	}
	penalty := func(n, λ float64) float64 {
		if n <= concavity*λ {
			return λ*n - n*n/2/concavity
		}
		return concavity * λ * λ / 2
	}
	moved := 0
	for _, g := range a.groups {
		l := λ * math.Sqrt(float64(g.hi-g.lo))
		z := make([]float64, g.hi-g.lo)
		n, now := 0.0, 0.0
		for t := range z {
			z[t] = a.slope[g.lo+t] + a.β[g.lo+t]
			n += z[t] * z[t]
			now += a.β[g.lo+t] * a.β[g.lo+t]
		}
		n, now = math.Sqrt(n), math.Sqrt(now)
		value := func(r float64) float64 { return (r-n)*(r-n)/2 + penalty(r, l) }
		for k := range 2001 {
			if r := 2 * n * float64(k) / 2000; value(r) < value(now)-1e-6 {
				t.Errorf("feature %d: norm %g has %g, %g has %g", g.feature, now, value(now), r, value(r))
				break
			}
		}
		if now > 0 {
			moved++
		}
	}
	if moved == 0 || moved == len(a.groups) {
		t.Errorf("%d of %d groups are not 0", moved, len(a.groups))
	}
}
