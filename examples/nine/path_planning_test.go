package nine_test

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// The shortest path around discs.
func Example_pathPlanning() {
	const n = 20
	centres := dc.Const([]int{3, 2}, []float64{2, 2.2, 5, 5, 7.5, 8})
	radii := []float64{1, 1.2, 0.6}

	m := dc.NewModel()
	x := m.Var("x", []int{n + 1, 2}, dc.StartUniform(0, 10))
	step := dc.Norm2(x.Slice(1, n+1).Sub(x.Slice(0, n)).Along(1))
	m.Minimize(dc.Max(step).Scale(n))
	m.SubjectTo(dc.EQ(x.Row(0), 0), dc.EQ(x.Row(n), 10))
	for j, r := range radii {
		gap := x.Slice(0, n).Sub(centres.Row(j))
		m.SubjectTo(dc.GE(dc.Norm2(gap.Along(1)), r).Named("out", j))
	}
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Multistart(context.Background(), p, 10, ccp.DefaultSettings())
	fmt.Println(res.Status, err)
	fmt.Println("shorter than 14.6:", res.Objective < 14.6)
	// Output:
	// converged <nil>
	// shorter than 14.6: true
}
