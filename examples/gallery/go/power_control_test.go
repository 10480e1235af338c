package gallery_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// Ten pairs of a sender and a receiver on one channel: powers that give the highest rate in
// all, a sum of logarithms less other logarithms.
func Example_powerControl() {
	const n, noise = 10, 0.05
	sender := func(i int) (x, y float64) {
		_, u := math.Modf(float64(i) * 0.6180339887)
		_, v := math.Modf(float64(i) * 0.7548776662)
		return 4 * u, 4 * v
	}
	gain := func(i, j int) float64 { // from sender j to receiver i
		sin, cos := math.Sincos(2.4 * float64(i))
		xi, yi := sender(i)
		xj, yj := sender(j)
		return 1 / (0.1 + math.Pow(math.Hypot(xi+0.4*cos-xj, yi+0.4*sin-yj), 3))
	}
	m := dc.NewModel()
	p := m.Var("p", []int{n}, dc.AtLeast(0), dc.AtMost(1), dc.StartUniform(0, 1))
	gains := mat.NewDense(n, n, nil)
	gains.Apply(func(i, j int, _ float64) float64 { return gain(i+1, j+1) }, gains)
	all := dc.MatMul(dc.Mat(gains), p).Shift(noise)
	others := all.Sub(dc.Mul(dc.Mat(gains).Diag(), p)) // without the sender itself
	m.Maximize(dc.Sum(dc.Log2(all).Sub(dc.Log2(others))))
	problem, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Multistart(context.Background(), problem, 20, ccp.DefaultSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v, rate %.4f\n", res.Status, res.Objective)
	// Output:
	// converged, rate 19.9253
}
