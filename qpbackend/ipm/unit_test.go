package ipm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// TestUnits: linear and quadratic programs whose objective, rows, one row in four, or variables are
// in other units, and those with such sides alone, have the solution that they have in units of
// one.
func TestUnits(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(31, seed))
		const n, m = 20, 12
		p := &qpbackend.Problem{Q: make([]float64, n), L: make([]float64, m), U: make([]float64, m), Lo: make([]float64, n), Hi: make([]float64, n)}
		var a, square sparse.Triplets
		for j := range n {
			p.Q[j], p.Hi[j] = rng.NormFloat64(), 1+rng.Float64()
			if seed%2 == 0 {
				square.Add(j, j, rng.Float64())
			}
		}
		for i := range m {
			p.L[i] = math.Inf(-1)
			for j := range n {
				v := rng.NormFloat64()
				a.Add(i, j, v)
				p.U[i] += v / 2
			}
			p.U[i] += rng.Float64()
		}
		p.A, _ = a.CSC(m, n)
		p.P, _ = square.CSC(n, n)
		want := solve(t, p).Objective
		for _, by := range []struct{ objective, rows, fourth, variables float64 }{
			{0x1p-20, 1, 1, 1}, {0x1p-30, 1, 1, 1}, {0x1p-40, 1, 1, 1}, {0x1p30, 1, 1, 1},
			{1, 0x1p-20, 1, 1}, {1, 0x1p-30, 1, 1}, {1, 0x1p30, 1, 1}, {1, 1, 0x1p-30, 1}, {1, 1, 0x1p30, 1},
			{1, 1, 1, 0x1p-30}, {1, 1, 1, 0x1p30}, {0x1p-30, 1, 1, 0x1p-30},
			{1, 0x1p-30, 1, 0x1p-30}, {1, 0x1p30, 1, 0x1p30}, {0x1p-30, 0x1p-30, 1, 0x1p-30},
		} {
			q := p.Clone()
			row := func(i int) float64 {
				if i%4 == 0 {
					return by.rows * by.fourth
				}
				return by.rows
			}
			for j := range q.Q {
				q.Q[j] *= by.objective / by.variables
				q.Lo[j] *= by.variables
				q.Hi[j] *= by.variables
			}
			for e := range q.P.Val {
				q.P.Val[e] *= by.objective / by.variables / by.variables
			}
			for i := range q.U {
				q.U[i] *= row(i)
			}
			for e, i := range q.A.RowIdx {
				q.A.Val[e] *= row(i) / by.variables
			}
			res := solve(t, q)
			if got := res.Objective / by.objective; res.Status != qpbackend.Solved || !(math.Abs(got-want) <= 1e-6*math.Abs(want)) {
				t.Errorf("seed %d, units %v: %v, %.9g for %.9g", seed, by, res.Status, got, want)
			}
			for i, v := range q.U {
				ax := 0.0
				for j, x := range res.X {
					ax += q.A.At(i, j) * x
				}
				if !(ax-v <= 1e-6*row(i)) {
					t.Errorf("seed %d, units %v: row %d is broken by %g of its units", seed, by, i, (ax-v)/row(i))
				}
			}
		}
	}
}
