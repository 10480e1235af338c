package admm_test

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/admm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// The point of a square nearest to a target that moves, each time from
// the solution before.
func ExampleBackend() {
	square := &qpbackend.Problem{
		P: sparse.Identity(2), Q: []float64{0, 0},
		A: sparse.Identity(2), L: []float64{1, 1}, U: []float64{2, 2},
	}
	b := admm.Backend{}
	s, err := b.New(context.Background(), square, b.DefaultSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	var res qpbackend.Result
	for _, target := range [][2]float64{{1.25, 1.5}, {1.5, 3}, {4, -1}} {
		err := s.Update(qpbackend.Update{Q: []float64{-target[0], -target[1]}})
		if err == nil {
			err = s.WarmStart(res.X, res.Y, res.Z) // nil at first
		}
		if err == nil {
			err = s.Solve(context.Background(), &res)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: %.3f %.3f\n", res.Status, res.X[0], res.X[1])
	}
	// Output:
	// solved: 1.250 1.500
	// solved: 1.500 2.000
	// solved: 2.000 1.000
}
