package gallery_test

import (
	"context"
	"fmt"
	"math"

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
	var rates []dc.Expr
	for i := 1; i <= n; i++ {
		all, others := make([]float64, n), make([]float64, n)
		for j := 1; j <= n; j++ {
			all[j-1] = gain(i, j)
			if j != i {
				others[j-1] = all[j-1]
			}
		}
		signal, interference := p.Dot(all).Add(dc.Num(noise)), p.Dot(others).Add(dc.Num(noise))
		rates = append(rates, dc.Log(signal).Sub(dc.Log(interference)).Scale(1/math.Ln2))
	}
	m.Maximize(dc.SumOf(rates))
	problem, err := m.Problem()
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
