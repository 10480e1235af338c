package gallery_test

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// Ten equal circles, as large as possible, in the unit square.
func Example_packingSquare() {
	const n = 10
	m := dc.NewModel()
	c := m.Var("c", []int{n, 2}, dc.AtLeast(0), dc.AtMost(1), dc.StartUniform(0, 1))
	r := m.Var("r", nil, dc.AtLeast(0), dc.AtMost(0.5))
	m.Maximize(r)
	for i := range n {
		for j := range i {
			m.SubjectTo(dc.GE(dc.Norm2(c.Row(i).Sub(c.Row(j))), r.Scale(2)).Named("apart", i, j))
		}
		for d := range 2 {
			m.SubjectTo(dc.Between(r, c.At(i, d), dc.Num(1).Sub(r)).Named("inside", i, d))
		}
	}
	p, err := m.Problem()
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Multistart(context.Background(), p, 10, ccp.DefaultSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v, radius %.4f\n", res.Status, res.Objective)
	// Output:
	// converged, radius 0.1482
}
