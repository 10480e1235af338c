package nine_test

import (
	"context"
	"fmt"
	"math"
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
	m := dc.NewModel()
	x := m.Var("x", []int{2, n}, dc.StartNormal(0, 1)) // real and imaginary parts
	measured := func(x dc.Affine) (u, v dc.Affine) {
		return dc.MatMul(dc.Mat(re), x.Row(0)).Sub(dc.MatMul(dc.Mat(im), x.Row(1))), dc.MatMul(dc.Mat(im), x.Row(0)).Add(dc.MatMul(dc.Mat(re), x.Row(1)))
	}
	u, v := measured(x)
	a, b := measured(dc.Mat(truth))
	for k := range rows {
		y := math.Hypot(a.At(k).Value(nil)[0], b.At(k).Value(nil)[0])
		m.SubjectTo(dc.EQ(dc.Norm2(dc.Stack(u.At(k), v.At(k))), dc.Num(y)).Named("magnitude", k))
	}
	p, err := m.Problem()
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Multistart(context.Background(), p, 20, ccp.DefaultSettings())
	fmt.Println(res.Status, err, res.Violation < 1e-5)
	// Output:
	// converged <nil> true
}
