package ccp_test

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// The point nearest to a that is at least r away from the origin, and how it moves with both.
func ExampleSession_Differentiate() {
	m := dc.NewModel()
	x := m.Var("x", []int{2})
	a := m.Param("a", []int{2}, 0.6, 0.8)
	r := m.Param("r", nil, 2)
	m.Minimize(dc.SumSquares(x.Sub(a.Expr)))
	m.SubjectTo(dc.GE(dc.Norm2(x), r))
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
	ctx := context.Background()
	res, err := s.Solve(ctx, []float64{1, 1, 0, 0, 0})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := s.Differentiate(ctx, res)
	if err != nil {
		fmt.Println(err)
		return
	}
	dx, err := d.Forward(ctx, map[string][]float64{"r": {1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := d.Adjoint(ctx, []float64{1, 0, 0, 0, 0}) // of x[0]
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("x = %.2f, dx/dr = %.2f\n", x.Values(d.Point()), x.Values(dx))
	fmt.Printf("dx[0]/da = %.2f, dx[0]/dr = %.2f\n", g["a"], g["r"])
	// Output:
	// x = [1.20 1.60], dx/dr = [0.60 0.80]
	// dx[0]/da = [1.28 -0.96], dx[0]/dr = [0.60]
}
