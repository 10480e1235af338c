package ccp_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// BenchmarkParametric is a loop over a least squares problem of 20 variables within bounds, of which the right
// side of the rows changes.
func BenchmarkParametric(b *testing.B) {
	const n, m = 20, 40
	rng := rand.New(rand.NewPCG(1, 1))
	numbers := func(k int) []float64 {
		v := make([]float64, k)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	a := mat.NewDense(m, n, numbers(m*n))
	model := dc.NewModel()
	x := model.Var("x", []int{n}, dc.AtLeast(-1), dc.AtMost(1))
	h := model.Param("h", []int{m}, numbers(m)...)
	model.Minimize(dc.SumSquares(x.Sub(dc.Vec(numbers(n)))))
	model.SubjectTo(dc.LE(dc.MatMul(dc.Mat(a), x), h))
	p, err := model.Problem()
	if err != nil {
		b.Fatal(err)
	}
	s, err := ccp.NewSession(b.Context(), p, ccp.DefaultSettings())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	sides := make([][]float64, 100)
	for k := range sides {
		sides[k] = numbers(m)
		for i := range sides[k] {
			sides[k][i] += 4
		}
	}
	b.ReportAllocs()
	for k := 0; b.Loop(); k++ {
		if err := s.Set("h", sides[k%len(sides)]...); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Solve(context.Background(), nil); err != nil {
			b.Fatal(err)
		}
	}
}
