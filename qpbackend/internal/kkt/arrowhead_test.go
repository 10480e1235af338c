package kkt_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// shape draws a matrix with about n columns and m rows.
type shape struct {
	name string
	draw func(rng *rand.Rand, n, m int) (h, at *sparse.CSC)
}

var shapes = []shape{
	{"regression", regression}, {"factors", factors}, {"lasso", lasso}, {"wide", wide}, {"separate", separate},
}

// regression has a residual and a slack for each sample and, per sample, rows
// that are multiples of its data at two of three groups of parameters, and zero
// or nearly so at the third.
func regression(rng *rand.Rand, n, m int) (h, at *sparse.CSC) {
	var th, ta sparse.Triplets
	const groups = 3
	params, samples := max(1, n/groups), max(1, m/4)
	cols := groups*params + 2*samples
	row := 0
	for i := range samples {
		x := make([]float64, params)
		for k := range x {
			x[k] = rng.NormFloat64()
		}
		th.Add(groups*params+i, groups*params+i, 0.1)
		for r := range 4 {
			for g := range groups {
				s := rng.NormFloat64()
				if g == (r+i)%groups {
					s = 0
				}
				for k, v := range x {
					ta.Add(g*params+k, row, s*v)
				}
			}
			ta.Add(groups*params+i, row, 1)
			if r < 2 {
				ta.Add(groups*params+samples+i, row, -1)
			}
			row++
		}
	}
	h, _ = th.CSC(cols, cols)
	at, _ = ta.CSC(cols, row)
	return h, at
}

// factors is a portfolio: dense rows over many variables with a diagonal H.
func factors(rng *rand.Rand, n, m int) (h, at *sparse.CSC) {
	var th, ta sparse.Triplets
	for j := range m {
		th.Add(j, j, rng.Float64())
	}
	for k := range n {
		for j := range m {
			if rng.IntN(2) == 0 {
				ta.Add(j, k, rng.NormFloat64())
			}
		}
		th.Add(m+k, m+k, 1)
		ta.Add(m+k, k, -1)
	}
	h, _ = th.CSC(m+n, m+n)
	at, _ = ta.CSC(m+n, n)
	return h, at
}

// lasso has dense rows of different patterns and a pair of rows per variable.
func lasso(rng *rand.Rand, n, m int) (h, at *sparse.CSC) {
	var th, ta sparse.Triplets
	row := 0
	for i := range m {
		th.Add(2*n+i, 2*n+i, 1)
		for j := range n {
			if rng.IntN(4) > 0 {
				ta.Add(j, row, rng.NormFloat64())
			}
		}
		ta.Add(2*n+i, row, -1)
		row++
	}
	for j := range n {
		for _, s := range [2]float64{1, -1} {
			ta.Add(j, row, s)
			ta.Add(n+j, row, -1)
			row++
		}
	}
	h, _ = th.CSC(2*n+m, 2*n+m)
	at, _ = ta.CSC(2*n+m, row)
	return h, at
}

// wide has a border of more columns than fit in one product.
func wide(rng *rand.Rand, n, m int) (h, at *sparse.CSC) {
	var th, ta sparse.Triplets
	n *= 6
	for j := range n {
		th.Add(j, j, 1)
		if j > 0 {
			th.Add(j-1, j, 0.3)
		}
	}
	for i := range m {
		for j := range n {
			ta.Add(j, i, rng.NormFloat64())
		}
		ta.Add(n+i, i, 1)
	}
	h, _ = th.CSC(n+m, n+m)
	at, _ = ta.CSC(n+m, m)
	return h, at
}

// separate falls apart without a border.
func separate(rng *rand.Rand, n, m int) (h, at *sparse.CSC) {
	var ta sparse.Triplets
	for i := range m {
		ta.Add(2*i, i, rng.NormFloat64())
		ta.Add(2*i+1, i, rng.NormFloat64())
	}
	at, _ = ta.CSC(2*m, m)
	return sparse.Zero(2*m, 2*m), at
}

// chain has rows over neighbours.
func chain(rng *rand.Rand, n, m int) (h, at *sparse.CSC) {
	var ta sparse.Triplets
	for i := range m {
		for k := range 4 {
			ta.Add((i+k)%n, i, rng.NormFloat64())
		}
	}
	at, _ = ta.CSC(n, m)
	return sparse.Identity(n), at
}

// The two strategies give the same solutions, after any change of values.
func TestStrategiesAgree(t *testing.T) {
	for _, c := range shapes {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 3))
			for _, size := range [][2]int{{3, 8}, {9, 40}, {24, 300}} {
				h, at := c.draw(rng, size[0], size[1])
				agree(t, rng, h, at)
			}
		})
	}
}

func agree(t *testing.T, rng *rand.Rand, h, at *sparse.CSC) {
	t.Helper()
	n, m := h.Cols, at.Cols
	var s [2]*kkt.System
	for k, how := range strategies {
		var err error
		if s[k], err = kkt.New(context.Background(), h, at, nil, how, nil); err != nil {
			t.Fatal(err)
		}
		if s[k].Strategy() != how {
			t.Fatalf("%d × %d: %v is %v", n, m, how, s[k].Strategy())
		}
	}
	off, d, b := make([]bool, n+m), make([]float64, n+m), make([]float64, n+m)
	for round := range 4 {
		for k := range at.Val {
			switch {
			case round == 1 && rng.IntN(3) == 0:
				at.Val[k] = 0
			case round > 1:
				at.Val[k] = rng.NormFloat64()
			}
		}
		for i := range d {
			off[i] = round > 0 && rng.IntN(6) == 0
			d[i] = math.Pow(10, 6*rng.Float64()-4)
			if i >= n {
				d[i] = -d[i]
			}
			b[i] = rng.NormFloat64()
		}
		var x [2][]float64
		goal := kkt.Accuracy{X: 1e-13, Y: 1e-13}
		for k := range s {
			x[k] = make([]float64, n+m)
			s[k].Load(1, off)
			if replaced, err := s[k].Factorise(context.Background(), d); err != nil || replaced != 0 {
				t.Fatalf("%v: %d pivots replaced, %v", strategies[k], replaced, err)
			}
			s[k].Solve(context.Background(), x[k], b, goal)
		}
		size := 1.0
		for _, v := range x[0] {
			size = max(size, math.Abs(v))
		}
		for i, v := range x[0] {
			if !(math.Abs(v-x[1][i]) <= 1e-9*size) {
				t.Fatalf("%d × %d, round %d: entry %d is %.12g and %.12g", n, m, round, i, v, x[1][i])
			}
		}
		ax, aty := [2][]float64{make([]float64, m), make([]float64, m)}, [2][]float64{make([]float64, n), make([]float64, n)}
		for k := range s {
			s[k].AddBoth(ax[k], aty[k], b[:n], b[n:])
		}
		for i := range ax[0] {
			if !(math.Abs(ax[0][i]-ax[1][i]) <= 1e-11) {
				t.Fatalf("row %d of Ax is %g and %g", i, ax[0][i], ax[1][i])
			}
		}
		for j := range aty[0] {
			if !(math.Abs(aty[0][j]-aty[1][j]) <= 1e-11) {
				t.Fatalf("entry %d of Aᵀy is %g and %g", j, aty[0][j], aty[1][j])
			}
		}
	}
}

// A pivot of the wrong sign is replaced wherever it stands, and one that is not
// a number is an error.
func TestPivotsOfBorderAndComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	h, at := lasso(rng, 5, 60)
	n, m := h.Cols, at.Cols
	for _, how := range strategies {
		s, err := kkt.New(context.Background(), h, at, nil, how, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Load(1, make([]bool, n+m))
		for _, place := range []int{0, 2 * 5, n, n + m - 1} { // border, residual, row, row of a pair
			d, x, b := make([]float64, n+m), make([]float64, n+m), make([]float64, n+m)
			for i := range d {
				d[i], b[i] = 1, 1
				if i >= n {
					d[i] = -1
				}
			}
			for _, bad := range []float64{math.NaN(), math.Inf(1)} {
				d[place] = bad
				if _, err := s.Factorise(context.Background(), d); err == nil {
					t.Errorf("%v: %g at %d was factored", how, bad, place)
				}
			}
			d[place] = math.Copysign(1e9, float64(place)-float64(n)+0.5)
			if replaced, err := s.Factorise(context.Background(), d); err != nil || replaced == 0 {
				t.Errorf("%v, place %d: %d pivots replaced, %v", how, place, replaced, err)
			}
			d[place] = 1
			if place >= n {
				d[place] = -1
			}
			goal := kkt.Accuracy{X: 1e-10, Y: 1e-10}
			if replaced, err := s.Factorise(context.Background(), d); err != nil || replaced != 0 {
				t.Errorf("%v: %d pivots replaced after a good update, %v", how, replaced, err)
			} else if a := s.Solve(context.Background(), x, b, goal); !a.Within(goal) {
				t.Errorf("%v: accuracy %+v", how, a)
			}
		}
	}
}

// The pattern decides.
func TestAutoChooses(t *testing.T) {
	for _, c := range []struct {
		name string
		draw func(rng *rand.Rand, n, m int) (h, at *sparse.CSC)
		n, m int
		want kkt.Strategy
	}{
		{"regression", regression, 60, 2000, kkt.Arrowhead},
		{"lasso", lasso, 150, 600, kkt.Arrowhead},
		{"small lasso", lasso, 20, 600, kkt.Sparse},
		{"wide", wide, 10, 500, kkt.Arrowhead},
		{"small regression", regression, 6, 40, kkt.Sparse},
		{"chain", chain, 500, 500, kkt.Sparse},
		{"separate", separate, 0, 500, kkt.Sparse},
	} {
		h, at := c.draw(rand.New(rand.NewPCG(5, 5)), c.n, c.m)
		s, err := kkt.New(context.Background(), h, at, nil, kkt.Auto, nil)
		if err != nil {
			t.Fatal(err)
		}
		if s.Strategy() != c.want {
			t.Errorf("%s: %v, want %v", c.name, s.Strategy(), c.want)
		}
	}
}

func TestStrategyText(t *testing.T) {
	if s := kkt.Strategy(77).String(); s != "Strategy(77)" || kkt.Arrowhead.String() != "arrowhead" {
		t.Errorf("%q, %q", s, kkt.Arrowhead.String())
	}
}

func BenchmarkFactorise(b *testing.B) {
	h, at := regression(rand.New(rand.NewPCG(6, 6)), 150, 4000)
	n, m := h.Cols, at.Cols
	d := make([]float64, n+m)
	for i := range d {
		d[i] = 1
		if i >= n {
			d[i] = -1
		}
	}
	for _, how := range strategies {
		b.Run(how.String(), func(b *testing.B) {
			s, err := kkt.New(context.Background(), h, at, nil, how, nil)
			if err != nil {
				b.Fatal(err)
			}
			s.Load(1, make([]bool, n+m))
			for b.Loop() {
				if _, err := s.Factorise(context.Background(), d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
