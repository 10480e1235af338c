package ccp_test

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// Least squares with data, a bound and a weight that change.
func ExampleSession() {
	m := dc.NewModel()
	x := m.Var("x", []int{3})
	size := m.Var("size", nil)
	data := m.Param("data", []int{3}, 0)
	top := m.Param("top", nil, 10)
	weight := m.Param("weight", nil, 0)
	m.Minimize(dc.SumSquares(x.Sub(data.Expr)))
	m.SubjectTo(dc.LE(x, top), dc.LE(dc.Norm1(x), size))
	m.AddCost(weight, size) // weight times the 1-norm
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := ccp.NewSession(context.Background(), p, ccp.DefaultSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for _, v := range []struct{ top, weight float64 }{{10, 0}, {2.5, 0}, {10, 3}} {
		for name, values := range map[string][]float64{"data": {1.5, 2, 3.5}, "top": {v.top}, "weight": {v.weight}} {
			if err := s.Set(name, values...); err != nil {
				fmt.Println(err)
				return
			}
		}
		res, err := s.Solve(context.Background(), nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: x = %.2f\n", res.Status, x.Values(res.X))
	}
	// Output:
	// converged: x = [1.50 2.00 3.50]
	// converged: x = [1.50 2.00 2.50]
	// converged: x = [0.00 0.50 2.00]
}
