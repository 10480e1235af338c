package ccp_test

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// |x| − (x − 1)² on [−2, 3] has two local minima; where the plain procedure ends
// depends on where it starts. By default it looks further.
func ExampleSolve() {
	m := dc.NewModel()
	x := m.Var("x", nil, dc.AtLeast(-2), dc.AtMost(3))
	m.Minimize(dc.Abs(x).Sub(dc.Square(x.Shift(-1))))
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	plain := ccp.DefaultSettings() // the textbook's procedure
	plain.Heuristics.Acceleration.LineSearch = false
	plain.Heuristics.Search.Coordinates, plain.Heuristics.Search.Descents, plain.Heuristics.Search.Hops = 0, 0, 0
	for _, c := range []struct {
		start float64
		set   ccp.Settings
	}{{0, plain}, {2, plain}, {2, ccp.DefaultSettings()}} {
		res, err := ccp.Solve(context.Background(), p, []float64{c.start}, c.set)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("from %g: %v, x = %.4f, objective %.4f\n", c.start, res.Status, res.X[0], res.Objective)
	}
	// Output:
	// from 0: converged, x = -2.0000, objective -7.0000
	// from 2: converged, x = 3.0000, objective -1.0000
	// from 2: converged, x = -2.0000, objective -7.0000
}

// Three circles of radius 1 in the smallest square around the origin: the best
// of ten starts.
func ExampleMultistart() {
	m := dc.NewModel()
	c := m.Var("c", []int{3, 2}, dc.StartNormal(0, 3))
	m.Minimize(dc.NormInf(c).Shift(1))
	i, j := dc.Pairs(3)
	m.SubjectTo(dc.GE(dc.Norm2(c.Rows(i).Sub(c.Rows(j)).Along(1)), 2).ForEach("apart", i, j))
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
	fmt.Printf("%v: a square of side %.4f\n", res.Status, 2*res.Objective)
	// Output:
	// converged: a square of side 3.9319
}
