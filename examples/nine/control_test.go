package nine_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// Two vehicles change places with the least thrust and keep their distance.
func Example_control() {
	const n, steps = 2, 40
	a := mat.NewDense(4, 4, []float64{1, 0, 0.1, 0, 0, 1, 0, 0.1, 0, 0, 0.95, 0, 0, 0, 0, 0.95})
	b := mat.NewDense(4, 2, []float64{0, 0, 0, 0, 0.1, 0, 0, 0.1})
	from, to := dc.Const([]int{n, 4}, []float64{0, 0, 0, 0, 2, 0.2, 0, 0}), dc.Const([]int{n, 4}, []float64{2, 0, 0, 0, 0, 0.1, 0, 0})

	m := dc.NewModel()
	x := m.Var("x", []int{n, steps, 4}, dc.StartNormal(0, 1))
	u := m.Var("u", []int{n, steps, 2}, dc.AtLeast(-2), dc.AtMost(2))
	m.Minimize(dc.Norm1(u))
	for i := range n {
		m.SubjectTo(dc.EQ(x.Row(i).Row(0), from.Row(i)), dc.EQ(x.Row(i).Row(steps-1), to.Row(i)))
		for t := range steps - 1 {
			next := dc.MatMul(dc.Mat(a), x.Row(i).Row(t)).Add(dc.MatMul(dc.Mat(b), u.Row(i).Row(t)))
			m.SubjectTo(dc.EQ(x.Row(i).Row(t+1), next).Named("dynamics", i, t))
		}
	}
	for t := range steps {
		gap := x.Row(0).Row(t).Sub(x.Row(1).Row(t)).Range(0, 2)
		m.SubjectTo(dc.GE(dc.Norm2(gap), dc.Num(0.6)).Named("apart", t))
	}
	p, err := m.Problem()
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
	fmt.Println(res.Status, err, res.Violation < 1e-6)
	// Output:
	// converged <nil> true
}
