package ipm_test

import (
	"context"
	"math"
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
