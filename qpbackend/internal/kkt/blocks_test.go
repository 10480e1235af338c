package kkt_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
)

// Systems with blocks, dense and expanded, are solved in both ways to an accuracy
// that the product with the whole matrix confirms.
func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for trial := range 40 {
		n, m := 3+rng.IntN(20), 25+rng.IntN(20)
		h, at := random(rng, n, m)
		blocks := []kkt.Block{
			{Start: 1, Len: 1}, {Start: 2, Len: 3}, {Start: 6, Len: 9, Expanded: true},
			{Start: 15, Len: 2, Expanded: true}, {Start: 18, Len: 4},
		}
		if trial%2 == 0 {
			blocks = append(blocks, kkt.Block{Start: m - 1, Len: 1, Expanded: true})
		}
		for _, how := range []kkt.Strategy{kkt.Auto, kkt.Sparse, kkt.Arrowhead} {
			sys, err := kkt.New(context.Background(), h, at, blocks, how, nil)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				blockTrial(t, rng, sys, func(d, x []float64) []float64 {
					return product(h, at, 1, make([]bool, n+m), d, x)
				}, blocks, n, m)
			}
		}
	}
}

// blockTrial fills in values and compares a solution with times(d, x), K without
// what blocks add off the diagonal.
func blockTrial(t *testing.T, rng *rand.Rand, sys *kkt.System, times func(d, x []float64) []float64, blocks []kkt.Block, n, m int) {
	t.Helper()
	sys.Load(1, make([]bool, n+m))
	d := make([]float64, n+m)
	for i := range d {
		d[i] = 0.1 + rng.Float64()
		if i >= n {
			d[i] = -d[i]
		}
	}
	// What G has off the diagonal, as a function that subtracts it.
	var more []func(out, x []float64)
	for k, b := range blocks {
		rows := func(v []float64) []float64 { return v[n+b.Start:][:b.Len] }
		if b.Expanded {
			u, v := sys.Expansion(k)
			for i := range u {
				u[i], v[i] = rng.NormFloat64(), rng.NormFloat64()
				rows(d)[i] -= float64(b.Len) * v[i] * v[i] // diag − vvᵀ is positive definite
			}
			u0, v0 := append([]float64(nil), u...), append([]float64(nil), v...)
			more = append(more, func(out, x []float64) {
				su, sv := 0.0, 0.0
				for i, e := range rows(x) {
					su, sv = su+u0[i]*e, sv+v0[i]*e
				}
				for i := range u0 {
					rows(out)[i] -= u0[i]*su - v0[i]*sv
				}
			})
			continue
		}
		g := make([]float64, b.Len*(b.Len+1)/2)
		w := make([]float64, b.Len)
		for i := range w {
			w[i] = rng.NormFloat64()
		}
		at := 0
		for j := range w {
			for i := range j + 1 {
				g[at] = w[i] * w[j]
				at++
			}
			rows(d)[j] -= w[j] * w[j]
		}
		sys.SetDense(k, g)
		more = append(more, func(out, x []float64) {
			sum := 0.0
			for i, e := range rows(x) {
				sum += w[i] * e
			}
			for i, e := range rows(x) {
				rows(out)[i] -= w[i] * (sum - w[i]*e)
			}
		})
	}
	if _, err := sys.Factorise(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	b, x := make([]float64, sys.Size()), make([]float64, sys.Size())
	for i := range n + m {
		b[i] = rng.NormFloat64()
	}
	if acc := sys.Solve(context.Background(), x, b, kkt.Accuracy{X: 1e-10, Y: 1e-10}); !acc.Within(kkt.Accuracy{X: 1e-10, Y: 1e-10}) {
		t.Fatalf("%v: the residual is %+v", sys.Strategy(), acc)
	}
	out := times(d, x[:n+m])
	for _, f := range more {
		f(out, x)
	}
	for i, v := range out {
		if math.Abs(v-b[i]) > 1e-8 {
			t.Fatalf("%v: entry %d of Kx is %g, want %g", sys.Strategy(), i, v, b[i])
		}
	}
}

// A long dense block is for the sparse strategy.
func TestLongBlocksAreSparse(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	h, at := random(rng, 4, 10)
	sys, err := kkt.New(context.Background(), h, at, []kkt.Block{{Start: 0, Len: 6}}, kkt.Arrowhead, nil)
	if err != nil || sys.Strategy() != kkt.Sparse {
		t.Errorf("%v, %v", sys.Strategy(), err)
	}
}
