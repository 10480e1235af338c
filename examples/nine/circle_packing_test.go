package nine_test

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// Circles that do not overlap in the smallest square about the origin.
func Example_circlePacking() {
	r := dc.Vec([]float64{1, 1, 1, 1, 0.4})
	m := dc.NewModel()
	c := m.Var("c", []int{r.Len(), 2}, dc.StartNormal(0, 3))
	m.Minimize(dc.Max(dc.NormInf(c.Along(1)).Add(r)))
	i, j := dc.Pairs(r.Len())
	apart := dc.Norm2(c.Rows(i).Sub(c.Rows(j)).Along(1))
	m.SubjectTo(dc.GE(apart, r.Rows(i).Add(r.Rows(j))).ForEach("apart", i, j))
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Multistart(context.Background(), p, 10, ccp.DefaultSettings())
	fmt.Println(res.Status, err)
	fmt.Println("half the side below 2.2:", res.Objective < 2.2)
	// Output:
	// converged <nil>
	// half the side below 2.2: true
}
