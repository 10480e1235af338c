package kkt

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// hinges is a problem of samples, rows over all of the first width variables, with a variable of
// their own each.
func hinges(rng *rand.Rand, width, count int) (h, at *sparse.CSC) {
	var th, ta sparse.Triplets
	for j := range width {
		th.Add(j, j, 1)
	}
	for i := range count {
		for j := range width {
			ta.Add(j, i, rng.NormFloat64())
		}
		ta.Add(width+i, i, rng.NormFloat64())
	}
	h, _ = th.CSC(width+count, width+count)
	at, _ = ta.CSC(width+count, count)
	return h, at
}

// Samples with a hinge each are inverted in pairs, unless a row is off or a variable has a diagonal
// of the wrong sign; the solutions are those of the sparse strategy, with diagonals of 24 orders of
// magnitude.
func TestPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	ctx := context.Background()
	h, at := hinges(rng, 9, 200)
	n, m := h.Cols, at.Cols
	arrow, err := New(ctx, h, at, nil, Arrowhead, nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := New(ctx, h, at, nil, Sparse, nil)
	if err != nil {
		t.Fatal(err)
	}
	goal := Accuracy{X: 1e-12, Y: 1e-12}
	for round, want := range []struct{ serve, inverted bool }{{true, true}, {true, true}, {false, false}, {true, false}, {true, true}} {
		d, b, off := make([]float64, n+m), make([]float64, n+m), make([]bool, n+m)
		for i := range d {
			d[i], b[i] = math.Exp(5*rng.NormFloat64()), rng.NormFloat64()
			if i >= n {
				d[i] = -d[i]
			}
		}
		switch round {
		case 1: // a row that is nearly an equation, one that is nearly free, a variable that is nearly fixed
			d[n], d[n+1], d[n-3] = -1e-12, -1e12, 1e12
		case 2:
			off[n+5] = true
		case 3:
			d[n-1] = -1e-3
		}
		arrow.Load(1, off)
		whole.Load(1, off)
		replaced, err := arrow.Factorise(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		if p := &arrow.f.(*arrowhead).pairs; p.serve != want.serve || p.inverted != want.inverted {
			t.Fatalf("round %d: serve %v, inverted %v", round, p.serve, p.inverted)
		}
		wrong, err := whole.Factorise(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		if wrong > 0 { // it eliminates the variable first, the pairs the row
			continue
		}
		if replaced > 0 {
			t.Fatalf("round %d: %d pivots replaced", round, replaced)
		}
		x, y := make([]float64, n+m), make([]float64, n+m)
		if a := arrow.Solve(ctx, x, b, goal); !a.Within(goal) {
			t.Errorf("round %d: accuracy %+v", round, a)
		}
		whole.Solve(ctx, y, b, goal)
		for i := range x {
			if !(math.Abs(x[i]-y[i]) <= 1e-8*(1+math.Abs(y[i]))) {
				t.Fatalf("round %d: entry %d is %.12g, want %.12g", round, i, x[i], y[i])
			}
		}
		checkProducts(t, rng, arrow)
	}
}
