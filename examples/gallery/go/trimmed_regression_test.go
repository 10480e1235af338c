package gallery_test

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// A parabola through the 32 of 40 observations that fit best.
func Example_trimmedRegression() {
	const n, trimmed = 40, 8
	m := dc.NewModel()
	b := m.Var("b", []int{3})
	var powers, values []float64
	for i := 1; i <= n; i++ {
		x := -2 + 4*float64(i-1)/(n-1)
		y := 1 + 0.5*x - 0.8*x*x + 0.3*math.Sin(17*float64(i))
		if i%5 == 0 { // an outlier
			y += 4 + math.Sin(float64(i))
		}
		powers, values = append(powers, 1, x, x*x), append(values, y)
	}
	squares := dc.Square(dc.MatMul(dc.Const([]int{n, 3}, powers), b).Sub(dc.Vec(values)))
	m.Minimize(dc.Sum(squares).Sub(dc.SumLargest(squares, trimmed)))
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Multistart(context.Background(), p, 10, ccp.DefaultSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v, sum of squares %.4f\n", res.Status, res.Objective)
	fmt.Printf("b = %.2f\n", b.Values(res.X))
	// Output:
	// converged, sum of squares 1.4727
	// b = [1.01 0.50 -0.81]
}
