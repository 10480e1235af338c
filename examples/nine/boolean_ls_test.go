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

// Least squares over x in {−1, 1}ⁿ.
func Example_booleanLeastSquares() {
	const rows, n = 30, 12
	rng := rand.New(rand.NewPCG(1, 1))
	a, bits := mat.NewDense(rows, n, nil), make([]float64, n)
	a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
	for k := range bits {
		bits[k] = float64(2*rng.IntN(2) - 1)
	}
	y := dc.MatMul(dc.Mat(a), dc.Vec(bits))

	m := dc.NewModel()
	x := m.Var("x", []int{n}, dc.StartUniform(-1, 1))
	m.Minimize(dc.Norm2(dc.MatMul(dc.Mat(a), x).Sub(y)))
	m.SubjectTo(dc.EQ(dc.Square(x), 1).Named("bit"))
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Multistart(context.Background(), p, 5, ccp.DefaultSettings())
	fmt.Println(res.Status, err)
	fmt.Println("found:", floats.EqualApprox(x.Values(res.X), bits, 1e-4))
	// Output:
	// converged <nil>
	// found: true
}
