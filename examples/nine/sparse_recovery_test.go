package nine_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// A sparse nonnegative vector from few measurements, by the sum of roots.
func Example_sparseRecovery() {
	const rows, n, nonzeros = 20, 40, 6
	rng := rand.New(rand.NewPCG(2, 2))
	a, truth := mat.NewDense(rows, n, nil), make([]float64, n)
	a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
	for _, k := range rng.Perm(n)[:nonzeros] {
		truth[k] = 5 * rng.Float64()
	}

	m := dc.NewModel()
	x := m.Var("x", []int{n}, dc.AtLeast(0), dc.StartAt(1))
	m.Minimize(dc.Sum(dc.Sqrt(x)))
	m.SubjectTo(dc.EQ(dc.MatMul(dc.Mat(a), x), dc.MatMul(dc.Mat(a), dc.Vec(truth))))
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
	fmt.Println(res.Status, err)
	fmt.Println("found:", floats.EqualApprox(x.Values(res.X), truth, 1e-4))
	// Output:
	// converged <nil>
	// found: true
}
