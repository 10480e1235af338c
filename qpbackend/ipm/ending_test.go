package ipm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// looks is a context that is cancelled at the look with that number.
type looks struct {
	context.Context
	left int
}

func (l *looks) Err() error {
	if l.left--; l.left < 0 {
		return context.Canceled
	}
	return nil
}

// cut is the relaxation of the largest cut of a random graph with k nodes, as the dual: least Σy
// with diag(y) − L semidefinite.
func cut(k int) *qpbackend.Problem {
	rng := rand.New(rand.NewPCG(uint64(k), 3))
	n := k * (k + 1) / 2
	p := &qpbackend.Problem{L: make([]float64, n), U: make([]float64, n), Cones: []qpbackend.Cone{{Kind: qpbackend.Semidefinite, Len: n}}}
	at := func(i, j int) int { return j*(j+1)/2 + i }
	var a sparse.Triplets
	for j := range k {
		p.Q = append(p.Q, 1)
		a.Add(at(j, j), j, 1)
		for i := range j {
			if rng.Float64() < 0.1 {
				p.L[at(i, j)] -= math.Sqrt2 / 4
				p.L[at(i, i)] += 0.25
				p.L[at(j, j)] += 0.25
			}
		}
	}
	p.A, _ = a.CSC(n, k)
	return p
}

// TestEnding: a context that ends at any look leaves a point whose residuals are no less than they
// are, and nothing of the solve that was cut short is left in the next one.
func TestEnding(t *testing.T) {
	ctx := context.Background()
	b := ipm.Backend{}
	p := cut(130)
	solver, err := b.New(ctx, p, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer solver.Close()
	var want, got qpbackend.Result
	if err := solver.Solve(ctx, &want); err != nil || want.Status != qpbackend.Solved {
		t.Fatalf("%v, error %v", want.Status, err)
	}
	ended := 0
	for looked := 1; ; looked += 1 + looked/4 {
		err := solver.Solve(&looks{ctx, looked}, &got)
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) || got.Status != qpbackend.Cancelled {
			t.Fatalf("after %d looks: %v, error %v", looked, got.Status, err)
		}
		if res := qpbackend.Certify(p, got.X, got.Y, got.Z); res.Max() > got.Res.Max()*(1+1e-9) {
			t.Errorf("after %d looks: residuals %v, but they are %v", looked, got.Res, res)
		}
		ended++
	}
	if ended < 10 {
		t.Errorf("%d solves were cut short, want at least 10", ended)
	}
	if err := solver.Solve(ctx, &got); err != nil || !slices.Equal(got.X, want.X) || got.Iterations != want.Iterations {
		t.Errorf("solved anew: %v after %d iterations, want the point of before after %d; error %v", got.Status, got.Iterations, want.Iterations, err)
	}
}
