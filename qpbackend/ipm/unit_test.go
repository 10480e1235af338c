package ipm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// TestFactorsOfTheObjective: linear and quadratic programs with an objective times a power of two have the solution that they have without it.
func TestFactorsOfTheObjective(t *testing.T) {
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
		for _, k := range []float64{0x1p-20, 0x1p-30, 0x1p-40, 0x1p30} {
			q := *p
			q.Q, q.P = make([]float64, n), p.P.Clone()
			for j, v := range p.Q {
				q.Q[j] = k * v
			}
			for e := range q.P.Val {
				q.P.Val[e] *= k
			}
			res := solve(t, &q)
			if got := res.Objective / k; res.Status != qpbackend.Solved || !(math.Abs(got-want) <= 1e-6*math.Abs(want)) {
				t.Errorf("seed %d, objective times %g: %v, %.9g for %.9g", seed, k, res.Status, got, want)
			}
		}
	}
}
