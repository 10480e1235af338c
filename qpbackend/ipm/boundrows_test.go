package ipm_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// asRows is a random problem of n variables twice: with rows of one entry between other rows, and
// with the bounds that these are, then with the place and the entry of the row of each variable.
func asRows(rng *rand.Rand, n int) (rows, bounds *qpbackend.Problem, place []int, entry []float64) {
	var h, whole, rest sparse.Triplets
	rows, bounds = &qpbackend.Problem{Q: make([]float64, n)}, &qpbackend.Problem{Q: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for j := range n {
		h.Add(j, j, 0.1+rng.Float64())
		rows.Q[j] = 3 * rng.NormFloat64()
		if j > 0 {
			h.Add(j-1, j, 0.05*rng.NormFloat64())
		}
	}
	place, entry = make([]int, n), make([]float64, n)
	for j := range n {
		lo, up := -rng.Float64(), rng.Float64()
		switch j % 5 {
		case 1:
			lo = math.Inf(-1)
		case 2:
			up = math.Inf(1)
		case 3:
			up = lo
		}
		v := rng.NormFloat64() + 0.1
		place[j], entry[j], bounds.Lo[j], bounds.Hi[j] = len(rows.L), v, lo, up
		whole.Add(len(rows.L), j, v)
		l, u := v*lo, v*up
		rows.L, rows.U = append(rows.L, min(l, u)), append(rows.U, max(l, u))
		if j%2 == 0 {
			side := 2 + rng.Float64()
			for i := range n {
				if e := rng.NormFloat64(); i != j && rng.IntN(3) > 0 || i < 2 {
					whole.Add(len(rows.L), i, e)
					rest.Add(len(bounds.L), i, e)
				}
			}
			rows.L, rows.U = append(rows.L, -side), append(rows.U, side)
			bounds.L, bounds.U = append(bounds.L, -side), append(bounds.U, side)
		}
	}
	rows.P, _ = h.CSC(n, n)
	copy(bounds.Q, rows.Q)
	bounds.P = rows.P
	rows.A, _ = whole.CSC(len(rows.L), n)
	bounds.A, _ = rest.CSC(len(bounds.L), n)
	return rows, bounds, place, entry
}

// TestRowsThatAreBounds: rows with one entry and the bounds that they are give the same solutions,
// multipliers and derivatives.
func TestRowsThatAreBounds(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p, want, place, entry := asRows(rng, 3+rng.IntN(12))
		s := newSolver(t, p)
		res, ref := run(t, s), solve(t, want)
		wantSolved(t, p, res)
		wantSolved(t, want, ref)
		for j := range ref.X {
			name := fmt.Sprintf("seed %d, variable %d:", seed, j)
			near(t, name+" the value", res.X[j], ref.X[j], 1e-7)
			near(t, name+" the multiplier", entry[j]*res.Y[place[j]], ref.Z[j], 1e-6)
			near(t, name+" that of bounds", res.Z[j], 0, 0)
		}
		b := newSolver(t, want)
		run(t, b)
		moved := forward(t, b, seed)
		for j, v := range forward(t, s, seed) {
			near(t, fmt.Sprintf("seed %d: the change of variable %d", seed, j), v, moved[j], 1e-6)
		}
	}
}

// TestRowsThatCeaseToBeBounds: a row is no bound while its entry is zero or its variable has bounds
// of its own, and results depend on present values alone.
func TestRowsThatCeaseToBeBounds(t *testing.T) {
	p, _, place, _ := asRows(rand.New(rand.NewPCG(4, 4)), 8)
	s := newSolver(t, p)
	first := run(t, s)
	zero, entries := p.A.Clone().Val, p.A.Clone().Val
	for e := p.A.ColPtr[2]; e < p.A.ColPtr[3]; e++ {
		if p.A.RowIdx[e] == place[2] {
			zero[e] = 0
		}
	}
	l, n := append([]float64(nil), p.L...), len(p.Q)
	l[place[2]] = math.Inf(-1)
	own, none := make([]float64, n), make([]float64, n)
	for j := range own {
		own[j], none[j] = math.Inf(-1), math.Inf(-1)
	}
	own[2] = 0.9 * first.X[2]
	for k, u := range []qpbackend.Update{{A: zero, L: l}, {A: entries, L: p.L}, {Lo: own}, {Lo: none}} {
		if err := s.Update(u); err != nil {
			t.Fatal(err)
		}
		now := p.Clone()
		if u.A != nil {
			copy(now.A.Val, u.A)
			now.L = u.L
		}
		if u.Lo != nil {
			now.Lo = u.Lo
		}
		got, want := run(t, s), solve(t, now)
		wantSolved(t, now, got)
		for j, v := range want.X {
			if got.X[j] != v {
				t.Errorf("update %d: variable %d is %g, of a new solver %g", k, j, got.X[j], v)
			}
		}
	}
}

// TestProofsFromRowsThatAreBounds: proofs name the rows.
func TestProofsFromRowsThatAreBounds(t *testing.T) {
	var a sparse.Triplets
	a.Add(0, 0, -2)
	a.Add(1, 1, 4)
	a.Add(2, 0, 1)
	a.Add(2, 1, 1)
	p := &qpbackend.Problem{Q: []float64{1, 1}, L: []float64{-2, 4, 3}, U: []float64{2, 4, math.Inf(1)}} // −1 ≤ x ≤ 1, y = 1, x + y ≥ 3
	p.A, _ = a.CSC(3, 2)
	if r := solve(t, p); r.Status != qpbackend.PrimalInfeasible || r.Y[0] == 0 || !(qpbackend.PrimalInfeasibility(p, r.Y, r.Z) <= 1e-8) {
		t.Errorf("%v by %v and %v", r.Status, r.Y, r.Z)
	}
	p.L[2], p.L[0], p.U[0] = -3, -2, math.Inf(1) // x ≤ 1, y = 1
	p.L[2] = math.Inf(-1)
	if r := solve(t, p); r.Status != qpbackend.DualInfeasible || !(qpbackend.DualInfeasibility(p, r.X) <= 1e-8) {
		t.Errorf("%v along %v", r.Status, r.X)
	}
}

// forward is the change of x where the costs grow at random.
func forward(t *testing.T, s qpbackend.Solver, seed uint64) []float64 {
	t.Helper()
	d, err := s.(qpbackend.Differentiator).Differentiate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	q := make([]float64, len(d.Point().X))
	for j := range q {
		q[j] = rng.NormFloat64()
	}
	var out qpbackend.Tangent
	if err := d.Forward(context.Background(), qpbackend.Update{Q: q}, &out); err != nil {
		t.Fatal(err)
	}
	return out.X
}
