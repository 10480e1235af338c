package ccp_test

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// The prices of limits: the objective falls by a price per unit that its limit is raised.
func Example_multipliers() {
	m := dc.NewModel()
	x := m.Var("x", []int{3}, dc.StartAt(0))
	m.Minimize(dc.SumSquares(x.Sub(dc.Vec([]float64{3, 0.5, -2}))))
	limits := m.SubjectTo(dc.LE(dc.Abs(x), 1).Named("limit"))
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("x = %.2f, prices %.2f\n", x.Values(res.X), limits.Dual(res))
	// Output: x = [1.00 0.50 -1.00], prices [4.00 0.00 2.00]
}
