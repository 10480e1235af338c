package gallery_test

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// Three centres: each point counts with the square of the distance to the nearest one.
func Example_kMeans() {
	middles := [3][2]float64{{0, 0}, {4, 1}, {1.5, 4}}
	m := dc.NewModel()
	c := m.Var("c", []int{3, 2}, dc.AtLeast(-3), dc.AtMost(7), dc.StartUniform(-1, 5))
	var points []float64 // each three times, for the three centres
	for i := 1; i <= 90; i++ {
		_, u := math.Modf(float64(i) * 0.6180339887)
		_, v := math.Modf(float64(i) * 0.7548776662)
		sin, cos := math.Sincos(2 * math.Pi * v)
		r := 1.3 / 1.5 * math.Sqrt(-2*math.Log(0.02+0.98*u))
		point := []float64{middles[i%3][0] + r*cos, middles[i%3][1] + r*sin}
		points = append(points, slices.Repeat(point, 3)...)
	}
	gaps := c.Rows(slices.Repeat([]int{0, 1, 2}, 90)).Sub(dc.Const([]int{270, 2}, points))
	squares := dc.SumSquares(gaps.Along(1)).Reshape(90, 3)
	m.Minimize(dc.Sum(dc.Min(squares.Along(1))))
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
	// Output:
	// converged, sum of squares 124.7978
}
