package kkt_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend/internal/cone"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// TestEliminated: a system with eliminated blocks among others is solved to an accuracy
// that products confirm.
func TestEliminated(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 20 {
		n, m := 3+rng.IntN(20), 60
		h, at := random(rng, n, m)
		blocks := []kkt.Block{
			{Start: 1, Len: 3, Order: 2}, {Start: 6, Len: 9, Expanded: true}, {Start: 16, Len: 21, Order: 6}, {Start: 40, Len: 10, Order: 4},
		}
		sys, err := kkt.New(context.Background(), h, at, blocks, kkt.Schur, nil)
		if err != nil {
			t.Fatal(err)
		}
		if sys.Strategy() != kkt.Schur || !sys.Eliminated(0) || sys.Eliminated(1) {
			t.Fatalf("strategy %v", sys.Strategy())
		}
		for range 2 {
			sys.Load(1, make([]bool, n+m))
			d := make([]float64, n+m)
			for i := range d {
				if d[i] = 0.1 + rng.Float64(); i >= n {
					d[i] = -d[i]
				}
			}
			scalings := map[int]*cone.Semidefinite{}
			for k, b := range blocks {
				if !sys.Eliminated(k) {
					u, v := sys.Expansion(k)
					clear(u)
					clear(v)
					continue
				}
				clear(d[n+b.Start:][:b.Len])
				c := cone.NewSemidefinite(b.Order)
				if !c.Scale(interior(rng, c, b.Order), interior(rng, c, b.Order)) {
					t.Fatal("no scaling")
				}
				scalings[k] = c
				sys.SetScaling(k, c)
			}
			if replaced, err := sys.Factorise(context.Background(), d); err != nil || replaced > 0 {
				t.Fatalf("%v, %d pivots replaced", err, replaced)
			}
			rhs := make([]float64, sys.Size())
			for i := range n + m {
				rhs[i] = rng.NormFloat64()
			}
			x := make([]float64, sys.Size())
			if acc := sys.Solve(context.Background(), x, rhs, kkt.Accuracy{X: 1e-9, Y: 1e-9}); !acc.Within(kkt.Accuracy{X: 1e-9, Y: 1e-9}) {
				t.Fatalf("accuracy %v", acc)
			}
			out := product(h, at, 1, make([]bool, n+m), d, x)
			for k, c := range scalings {
				y := x[n+blocks[k].Start:][:blocks[k].Len]
				g := make([]float64, len(y))
				c.Mul(g, y)
				for i, v := range g {
					out[n+blocks[k].Start+i] -= v
				}
			}
			for i, v := range out[:n+m] {
				if !(math.Abs(v-rhs[i]) <= 1e-7) {
					t.Fatalf("equation %d of %d + %d: %g, want %g", i, n, m, v, rhs[i])
				}
			}
		}
	}
}

// TestOwn: a system with two matrix variables, one in more rows than it has entries, and one that
// another semidefinite block holds, is solved to an accuracy that products confirm.
func TestOwn(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	blocks := []kkt.Block{{Start: 4, Len: 10, Order: 4}, {Start: 20, Len: 15, Order: 5}, {Start: 40, Len: 10, Order: 4}, {Start: 50, Len: 10, Order: 4}}
	const n, m = 52, 66
	for range 10 {
		dense := rng.IntN(2) == 0
		var tr, tp sparse.Triplets
		first := 0
		for t, b := range blocks[:3] {
			blocks[t].Own = rng.Perm(b.Len)
			for i := range b.Len {
				blocks[t].Own[i] += first
				tr.Add(blocks[t].Own[i], b.Start+i, 0.5+rng.Float64())
			}
			first += b.Len
		}
		for j := 45; j < n; j++ {
			tp.Add(j, j, 1)
		}
		h, _ := tp.CSC(n, n)
		for i := range m {
			switch {
			case i >= 50 && i < 60: // another block, with a variable of the third
				tr.Add(25, i, rng.NormFloat64())
				tr.Add(45+rng.IntN(7), i, rng.NormFloat64())
			case i < 4 || i >= 60 || i >= 14 && i < 20:
				for range 4 {
					tr.Add(rng.IntN(first), i, rng.NormFloat64())
				}
				tr.Add(45+rng.IntN(7), i, rng.NormFloat64())
				if dense {
					tr.Add(i%10, i, 1)
				}
			}
		}
		a, _ := tr.CSC(n, m)
		sys, err := kkt.New(context.Background(), h, a, blocks, kkt.Schur, nil)
		if err != nil {
			t.Fatal(err)
		}
		if dense && sys.Own(0) != nil || sys.Own(1) == nil || sys.Own(2) != nil {
			t.Fatalf("own variables: %v, %v, %v", sys.Own(0), sys.Own(1), sys.Own(2))
		}
		sys.Load(1, make([]bool, n+m))
		d := make([]float64, n+m)
		for i := range d {
			if d[i] = 0.1 + rng.Float64(); i >= n {
				d[i] = -d[i]
			}
		}
		var scalings []*cone.Semidefinite
		for k, b := range blocks {
			clear(d[n+b.Start:][:b.Len])
			for _, j := range sys.Own(k) {
				d[j] = 0
			}
			c := cone.NewSemidefinite(b.Order)
			if !c.Scale(interior(rng, c, b.Order), interior(rng, c, b.Order)) {
				t.Fatal("no scaling")
			}
			scalings = append(scalings, c)
			sys.SetScaling(k, c)
		}
		if replaced, err := sys.Factorise(context.Background(), d); err != nil || replaced > 0 {
			t.Fatalf("%v, %d pivots replaced", err, replaced)
		}
		rhs, x := make([]float64, sys.Size()), make([]float64, sys.Size())
		for i := range n + m {
			rhs[i] = rng.NormFloat64()
		}
		sys.Solve(context.Background(), x, rhs, kkt.Accuracy{X: 1e-9, Y: 1e-9})
		out := product(h, a, 1, make([]bool, n+m), d, x)
		for k, c := range scalings {
			y := x[n+blocks[k].Start:][:blocks[k].Len]
			g := make([]float64, len(y))
			c.Mul(g, y)
			for i, v := range g {
				out[n+blocks[k].Start+i] -= v
			}
		}
		for i, v := range out {
			if !(math.Abs(v-rhs[i]) <= 1e-7) {
				t.Fatalf("equation %d of %d + %d: %g, want %g", i, n, m, v, rhs[i])
			}
		}
	}
}

// interior is a point of the cone.
func interior(rng *rand.Rand, c *cone.Semidefinite, order int) []float64 {
	v, e := make([]float64, order*(order+1)/2), make([]float64, order*(order+1)/2)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	c.Unit(e)
	add := 1 - c.Margin(v)
	for i := range v {
		v[i] += add * e[i]
	}
	return v
}

// TestFormExactly: both ways to the Schur complement have one solution; the exact one begins when
// it is asked for, as it has its price, and ends so.
func TestFormExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const order, n, m = 20, 160, 210
	h, at := random(rng, n, m)
	sys, err := kkt.New(t.Context(), h, at, []kkt.Block{{Len: m, Order: order}}, kkt.Schur, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := cone.NewSemidefinite(order)
	if !c.Scale(interior(rng, c, order), interior(rng, c, order)) {
		t.Fatal("no scaling")
	}
	sys.Load(1, make([]bool, n+m))
	sys.SetScaling(0, c)
	d, rhs := make([]float64, n+m), make([]float64, sys.Size())
	for i := range rhs {
		rhs[i] = rng.NormFloat64()
	}
	for j := range n {
		d[j] = 0.1
	}
	goal := kkt.Accuracy{X: 1e-9, Y: 1e-9}
	var x [2][]float64
	for k := range x {
		if sys.FormExactly(k == 1) != (k == 1) || sys.FormExactly(k == 1) {
			t.Fatal("not sharpened by the second call alone")
		}
		x[k] = make([]float64, sys.Size())
		if _, err := sys.Factorise(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		if acc := sys.Solve(t.Context(), x[k], rhs, goal); !acc.Within(goal) {
			t.Fatalf("accuracy %v", acc)
		}
	}
	for i, v := range x[0] {
		if !(math.Abs(v-x[1][i]) <= 1e-6*(1+math.Abs(v))) {
			t.Fatalf("entry %d is %g, and %g", i, v, x[1][i])
		}
	}
	if slices.Equal(x[0], x[1]) {
		t.Error("one complement in both cases")
	}
	if sys.FormExactly(false) || !sys.FormExactly(true) {
		t.Error("it does not end")
	}
}

// TestPrice: small blocks stay, large ones are eliminated where few variables are in them,
// and the context ends a factorisation.
func TestPrice(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	h, at := random(rng, 30, 1275)
	for _, c := range []struct {
		order int
		how   kkt.Strategy
		want  bool
	}{{3, kkt.Auto, false}, {50, kkt.Auto, true}, {50, kkt.Sparse, false}, {3, kkt.Schur, true}} {
		sys, err := kkt.New(context.Background(), h, at, []kkt.Block{{Len: c.order * (c.order + 1) / 2, Order: c.order}}, c.how, nil)
		if err != nil {
			t.Fatal(err)
		}
		if sys.Eliminated(0) != c.want {
			t.Errorf("order %d, %v: eliminated %v", c.order, c.how, !c.want)
		}
		if !c.want || c.order < 50 {
			continue
		}
		s := cone.NewSemidefinite(c.order)
		if !s.Scale(interior(rng, s, c.order), interior(rng, s, c.order)) {
			t.Fatal("no scaling")
		}
		sys.SetScaling(0, s)
		sys.Load(1, make([]bool, 30+1275))
		d := make([]float64, 30+1275)
		for i := range 30 {
			d[i] = 1
		}
		if _, err := sys.Factorise(shared.Countdown(0, context.Canceled), d); !errors.Is(err, context.Canceled) {
			t.Errorf("%v after the end", err)
		}
	}
}
