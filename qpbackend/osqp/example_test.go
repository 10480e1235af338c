//go:build osqp

package osqp_test

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/osqp"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// The point of the box [0, 0.7]² nearest to (1, 0.4), then to (0.1, 2), from the
// solution before.
func ExampleBackend() {
	backend := osqp.Backend{}
	p := &qpbackend.Problem{
		P: sparse.Identity(2), Q: []float64{-1, -0.4},
		A: sparse.Identity(2), L: []float64{0, 0}, U: []float64{0.7, 0.7},
	}
	solver, err := backend.New(context.Background(), p, backend.DefaultSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer solver.Close()
	var res qpbackend.Result
	for _, q := range [][]float64{p.Q, {-0.1, -2}} {
		if err := solver.Update(qpbackend.Update{Q: q}); err != nil {
			fmt.Println(err)
			return
		}
		if err := solver.WarmStart(res.X, res.Y, res.Z); err != nil {
			fmt.Println(err)
			return
		}
		if err := solver.Solve(context.Background(), &res); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: x = (%.4f, %.4f), y = (%.4f, %.4f)\n", res.Status, res.X[0], res.X[1], res.Y[0], res.Y[1])
	}
	// Output:
	// solved: x = (0.7000, 0.4000), y = (0.3000, 0.0000)
	// solved: x = (0.1000, 0.7000), y = (0.0000, 1.3000)
}
