package main

import (
	"context"
	"fmt"
	"log"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

func main() {
	// minimise |x| − (x − 1)² over −2 ≤ x ≤ 3; it has a local minimum at
	// either end, and the lower one is found from both starts.
	m := dc.NewModel()
	x := m.Var("x", nil, dc.AtLeast(-2), dc.AtMost(3))
	m.Minimize(dc.Abs(x).Sub(dc.Square(x.Shift(-1))))
	p, err := m.Problem(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, start := range []float64{0, 2} {
		res, err := ccp.Solve(context.Background(), p, []float64{start}, ccp.DefaultSettings())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("from %g: %v, x = %.4f, objective %.4f\n", start, res.Status, res.X[0], res.Objective)
	}
}
