package ipm_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// smooth is the curve with bounds on its second differences that is nearest to a wave with jumps.
func smooth(n int, bound float64) *qpbackend.Problem {
	p := &qpbackend.Problem{Q: make([]float64, n)}
	var a, h sparse.Triplets
	for i := range n {
		h.Add(i, i, 1)
		p.Q[i] = -math.Sin(12*float64(i)/float64(n)) - float64(i*7%11)/30
	}
	for i := range n - 2 {
		a.Add(i, i, 1)
		a.Add(i, i+1, -2)
		a.Add(i, i+2, 1)
		p.L, p.U = append(p.L, -bound), append(p.U, bound)
	}
	p.P, _ = h.CSC(n, n)
	p.A, _ = a.CSC(n-2, n)
	return p
}

// TestLargeMultipliers: where multipliers at the solution are far larger than any entry of the objective, the
// multipliers of the first point are raised; else the three take 72 iterations.
func TestLargeMultipliers(t *testing.T) {
	iterations := 0
	for _, bound := range []float64{1e-4, 1e-5, 1e-6} {
		b := ipm.Backend{}
		s, err := b.New(context.Background(), smooth(1000, bound), b.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		var r qpbackend.Result
		if err := s.Solve(context.Background(), &r); err != nil || r.Status != qpbackend.Solved {
			t.Fatal(r.Status, err)
		}
		iterations += r.Iterations
	}
	if iterations > 60 {
		t.Errorf("%d iterations, want 54", iterations)
	}
}

// TestNearFirstPoint: slacks and multipliers that are inside stay where they are at first; shifted by as much as the worst ones, three
// problems of transport take 48 iterations.
func TestNearFirstPoint(t *testing.T) {
	iterations := 0
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 31))
		const from, to = 30, 32
		p := &qpbackend.Problem{Q: make([]float64, from*to), Lo: make([]float64, from*to), Hi: make([]float64, from*to)}
		var a sparse.Triplets
		for k := range from * to {
			p.Q[k], p.Hi[k] = 100*rng.Float64(), math.Inf(1)
			a.Add(k/to, k, 1)
			a.Add(from+k%to, k, 1)
		}
		for range from {
			p.L, p.U = append(p.L, 0), append(p.U, 4+rng.Float64())
		}
		for range to {
			p.L, p.U = append(p.L, 3*rng.Float64()), append(p.U, math.Inf(1))
		}
		p.A, _ = a.CSC(from+to, from*to)
		b := ipm.Backend{}
		s, err := b.New(context.Background(), p, b.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		var r qpbackend.Result
		if err := s.Solve(context.Background(), &r); err != nil || r.Status != qpbackend.Solved {
			t.Fatal(r.Status, err)
		}
		iterations += r.Iterations
	}
	if iterations > 36 {
		t.Errorf("%d iterations, want 34", iterations)
	}
}
