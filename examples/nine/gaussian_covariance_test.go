package nine_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// Maximum likelihood of a covariance with zeros where they are known to be.
func Example_gaussianCovariance() {
	const n, samples = 5, 40
	rng := rand.New(rand.NewPCG(5, 5))
	y := mat.NewDense(n, samples, nil)
	for k := range samples { // neighbours share a term
		for i, last, e := 0, 0.0, rng.NormFloat64(); i < n; i++ {
			last, e = e, rng.NormFloat64()
			y.Set(i, k, last+0.5*e)
		}
	}

	m := dc.NewModel()
	sigma := m.Var("Sigma", []int{n, n}, dc.PSD(), dc.StartAtMatrix(mat.NewDiagDense(n, []float64{1, 1, 1, 1, 1})))
	m.Minimize(dc.LogDet(sigma).Add(dc.MatFrac(dc.Mat(y), sigma).Scale(1.0 / samples)))
	for i := range n {
		for j := i + 2; j < n; j++ {
			m.SubjectTo(dc.EQ(sigma.At(i, j), 0).Named("zero", i, j))
		}
	}
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
	fmt.Printf("%v %v %.2f\n", res.Status, err, sigma.Row(0).Slice(0, 2).Values(res.X))
	// Output:
	// converged <nil> [1.05 0.51]
}
