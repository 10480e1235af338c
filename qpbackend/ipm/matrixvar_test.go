package ipm_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// matrixProblem has two matrix variables and others that share rows and a second-order cone with
// them: the minimum of a positive linear function, and of squares of the others.
func matrixProblem(seed uint64) *qpbackend.Problem {
	rng := rand.New(rand.NewPCG(seed, 4))
	orders, others := []int{4 + rng.IntN(3), 5 + rng.IntN(20)}, 6
	p := &qpbackend.Problem{}
	var tr, tp sparse.Triplets
	row := func(lo, up float64) int {
		p.L, p.U = append(p.L, lo), append(p.U, up)
		return len(p.L) - 1
	}
	feasible := []float64{} // the identity, and zero
	for _, k := range orders {
		first, from := len(p.Q), len(p.L)
		for c := range k {
			for r := range c + 1 {
				p.Q = append(p.Q, 0.3*rng.NormFloat64())
				feasible = append(feasible, 0)
				i, f := row(0, math.Inf(1)), math.Sqrt2
				if r == c {
					f = 1
					p.Q[len(p.Q)-1] += float64(k)
					feasible[len(feasible)-1] = 1
				}
				tr.Add(i, first+i-from, f)
			}
		}
		p.Cones = append(p.Cones, qpbackend.Cone{Kind: qpbackend.Semidefinite, Start: from, Len: len(p.L) - from})
	}
	matrix := len(p.Q)
	for j := range others {
		p.Q = append(p.Q, rng.NormFloat64())
		feasible = append(feasible, 0)
		tp.Add(matrix+j, matrix+j, 1)
	}
	for i := range 12 {
		v, r := 0.0, row(0, 0)
		for range 5 {
			j, a := rng.IntN(matrix+others), rng.NormFloat64()
			tr.Add(r, j, a)
			v += a * feasible[j]
		}
		if p.L[r], p.U[r] = v, v; i%3 == 0 {
			p.L[r] -= 1
		}
	}
	from := row(-3, math.Inf(1)) // in a cone, lo is its constant
	tr.Add(from, rng.IntN(matrix), 1)
	for range 4 {
		r := row(0, math.Inf(1))
		tr.Add(r, rng.IntN(matrix), rng.NormFloat64()/4)
		tr.Add(r, matrix+rng.IntN(others), 1)
	}
	p.Cones = append(p.Cones, qpbackend.Cone{Kind: qpbackend.SecondOrder, Start: from, Len: 5})
	n := len(p.Q)
	p.A, _ = tr.CSC(len(p.L), n)
	p.P, _ = tp.CSC(n, n)
	p.Lo, p.Hi = slices.Repeat([]float64{math.Inf(-1)}, n), slices.Repeat([]float64{math.Inf(1)}, n)
	return p
}

// TestMatrixVariables: eliminated with their rows, matrix variables have the solution that they
// have otherwise; bounds that come and go change that with no trace.
func TestMatrixVariables(t *testing.T) {
	count := uint64(12)
	if shared.Race {
		count = 2
	}
	for seed := range count {
		p := matrixProblem(seed)
		s := newCones(t, p, ipm.Backend{})
		if s.(interface{ KKT() ipm.KKT }).KKT() != ipm.Schur {
			t.Fatal("the cones are not eliminated")
		}
		got := solveCones(t, s, qpbackend.Solved)
		want := solveCones(t, newCones(t, p, ipm.Backend{KKT: ipm.Sparse}), qpbackend.Solved)
		if !(math.Abs(got.Objective-want.Objective) <= 1e-6*(1+math.Abs(want.Objective))) {
			t.Errorf("seed %d: the minimum is %.9g, and %.9g in the other way", seed, got.Objective, want.Objective)
		}
		if res := qpbackend.Certify(p, got.X, got.Y, got.Z); !(res.Max() <= 1e-8) {
			t.Errorf("seed %d: residuals %v", seed, res)
		}
		bounded := p.Clone()
		bounded.Lo[0], bounded.Hi[1] = 0.1, 0.01
		if err := s.Update(qpbackend.Update{Lo: bounded.Lo, Hi: bounded.Hi}); err != nil {
			t.Fatal(err)
		}
		there := solveCones(t, s, qpbackend.Solved)
		if fresh := solveCones(t, newCones(t, bounded, ipm.Backend{}), qpbackend.Solved); !slices.Equal(there.X, fresh.X) {
			t.Errorf("seed %d: with bounds, another result than that of a fresh solver", seed)
		}
		if err := s.Update(qpbackend.Update{Lo: p.Lo, Hi: p.Hi}); err != nil {
			t.Fatal(err)
		}
		var back qpbackend.Result
		if err := s.Solve(context.Background(), &back); err != nil || !slices.Equal(back.X, got.X) {
			t.Errorf("seed %d: without them again, another result than before, %v", seed, err)
		}
	}
}
