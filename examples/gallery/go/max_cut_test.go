package gallery_test

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// The corners of a graph in two parts, with the most weight on the edges between them.
func Example_maxCut() {
	const n = 14
	m := dc.NewModel()
	x := m.Var("x", []int{n}, dc.AtLeast(-1), dc.AtMost(1), dc.StartUniform(-1, 1))
	m.SubjectTo(dc.GE(dc.Square(x), 1).Named("side"))
	i, j := dc.Pairs(n)
	half, edges := make([]float64, len(i)), 0 // half the weights
	for k := range half {
		u := 43.7585453 * math.Sin(12.9898*float64(i[k]+1)+78.233*float64(j[k]+1))
		if u -= math.Floor(u); u < 0.4 { // an edge of the weight 1, 2, 3 or 4
			half[k], edges = (1+math.Floor(10*u))/2, edges+1
		}
	}
	m.Maximize(dc.Num(1).Sub(dc.Mul(x.Rows(i), x.Rows(j))).Dot(half))
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
	fmt.Printf("%v, %d edges, a cut of %.4f\n", res.Status, edges, res.Objective)
	// Output:
	// converged, 38 edges, a cut of 84.0000
}
