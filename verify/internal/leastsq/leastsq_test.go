package leastsq

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestNonNegative: the conditions of optimality at solutions of random problems.
func TestNonNegative(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 30 {
		m, n := 3+rng.IntN(8), 1+rng.IntN(10)
		a, b := mat.NewDense(m, n, nil), make([]float64, m)
		for i := range m {
			for j := range n {
				a.Set(i, j, rng.NormFloat64())
			}
			b[i] = rng.NormFloat64()
		}
		x := NonNegative(a, b)
		r, g := mat.NewVecDense(m, nil), mat.NewVecDense(n, nil)
		r.MulVec(a, mat.NewVecDense(n, x))
		r.SubVec(mat.NewVecDense(m, b), r)
		g.MulVec(a.T(), r)
		for j := range n {
			if d := g.AtVec(j); x[j] < 0 || d > 1e-9 || x[j] > 0 && math.Abs(d) > 1e-9 {
				t.Errorf("problem %d: entry %d is %g with slope %g", trial, j, x[j], d)
			}
		}
	}
}
