package nine_test

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// Circles that do not overlap in the smallest square about the origin.
func Example_circlePacking() {
	radii := []float64{1, 1, 1, 1, 0.4}
	m := dc.NewModel()
	c := m.Var("c", []int{len(radii), 2}, dc.StartNormal(0, 3))
	var reach []dc.Operand
	for i, r := range radii {
		reach = append(reach, dc.NormInf(c.Row(i)).Add(dc.Num(r)))
		for j := range i {
			apart := dc.Norm2(c.Row(i).Sub(c.Row(j)))
			m.SubjectTo(dc.GE(apart, dc.Num(r+radii[j])).Named("apart", i, j))
		}
	}
	m.Minimize(dc.Max(reach...))
	p, err := m.Problem()
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
