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
	i, j := dc.Pairs(n)
	apart := dc.Norm2(c.Rows(i).Sub(c.Rows(j)).Along(1))
	m.SubjectTo(dc.GE(apart, r.Scale(2)).ForEach("apart", i, j), dc.Between(r, c, dc.Num(1).Sub(r)).Named("inside"))
	p, err := m.Problem(context.Background())
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
