package nine_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// The shortest path around discs.
func Example_pathPlanning() {
	const n = 20
	centres := dc.Mat(mat.NewDense(3, 2, []float64{2, 2.2, 5, 5, 7.5, 8}))
	radii := []float64{1, 1.2, 0.6}

	m := dc.NewModel()
	x := m.Var("x", []int{n + 1, 2}, dc.StartUniform(0, 10))
	length := m.Var("length", nil)
	m.Minimize(length)
	m.SubjectTo(dc.EQ(x.Row(0), dc.Vec([]float64{0, 0})), dc.EQ(x.Row(n), dc.Vec([]float64{10, 10})))
	for i := range n {
		step := dc.Norm2(x.Row(i).Sub(x.Row(i + 1)))
		m.SubjectTo(dc.LE(step, length.Scale(1.0/n)).Named("step", i))
		for j, r := range radii {
			m.SubjectTo(dc.GE(dc.Norm2(x.Row(i).Sub(centres.Row(j))), dc.Num(r)).Named("out", i, j))
		}
	}
	p, err := m.Problem()
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
