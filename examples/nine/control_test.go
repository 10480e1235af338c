package nine_test

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// Two vehicles change places with the least thrust and keep their distance.
func Example_control() {
	const n, steps = 2, 40
	a := dc.Const([]int{4, 4}, []float64{1, 0, 0.1, 0, 0, 1, 0, 0.1, 0, 0, 0.95, 0, 0, 0, 0, 0.95})
	b := dc.Const([]int{4, 2}, []float64{0, 0, 0, 0, 0.1, 0, 0, 0.1})
	ends := dc.Const([]int{n, 2, 4}, []float64{0, 0, 0, 0, 2, 0, 0, 0, 2, 0.2, 0, 0, 0, 0.1, 0, 0})

	m := dc.NewModel()
	x := m.Var("x", []int{n, steps, 4}, dc.StartNormal(0, 1))
	u := m.Var("u", []int{n, steps - 1, 2}, dc.AtLeast(-2), dc.AtMost(2))
	m.Minimize(dc.Norm1(u))
	for i := range n {
		x, u := x.Row(i), u.Row(i)
		m.SubjectTo(dc.EQ(x.Rows([]int{0, steps - 1}), ends.Row(i)).Named("ends", i))
		moved := dc.MatMul(x.Slice(0, steps-1), a.T()).Add(dc.MatMul(u, b.T()))
		m.SubjectTo(dc.EQ(x.Slice(1, steps), moved).Named("dynamics", i))
	}
	gap := x.Row(0).Sub(x.Row(1)).T().Slice(0, 2)
	m.SubjectTo(dc.GE(dc.Norm2(gap.Along(0)), 0.6).Named("apart"))
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
	fmt.Println(res.Status, err, res.Violation < 1e-6)
	// Output:
	// converged <nil> true
}
