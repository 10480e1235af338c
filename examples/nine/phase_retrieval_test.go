package nine_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// A complex signal from the magnitudes of linear measurements.
func Example_phaseRetrieval() {
	const rows, n = 32, 6
	rng := rand.New(rand.NewPCG(3, 3))
	normal := func(_, _ int, _ float64) float64 { return rng.NormFloat64() }
	re, im, truth := mat.NewDense(rows, n, nil), mat.NewDense(rows, n, nil), mat.NewDense(2, n, nil)
	re.Apply(normal, re)
	im.Apply(normal, im)
	truth.Apply(normal, truth)
	a := dc.Complex{Re: dc.Mat(re), Im: dc.Mat(im)}
	magnitude := func(x dc.Expr) dc.Expr { // of x with rows of real and of imaginary parts
		z := dc.ComplexMatMul(a, dc.Complex{Re: x.Row(0), Im: x.Row(1)})
		return dc.Norm2(z.Pairs().Reshape(2, rows).Along(0))
	}
	m := dc.NewModel()
	x := m.Var("x", []int{2, n}, dc.StartNormal(0, 1))
	m.SubjectTo(dc.EQ(magnitude(x), magnitude(dc.Mat(truth))).Named("magnitude"))
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Multistart(context.Background(), p, 20, ccp.DefaultSettings())
	fmt.Println(res.Status, err, res.Violation < 1e-5)
	// Output:
	// converged <nil> true
}
