package nine_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// A sparse nonnegative vector from few measurements, by the sum of roots.
func Example_sparseRecovery() {
	const rows, n, nonzeros = 20, 40, 6
	rng := rand.New(rand.NewPCG(2, 2))
	a, truth, y := mat.NewDense(rows, n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(rows, nil)
	a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
	for _, k := range rng.Perm(n)[:nonzeros] {
		truth.SetVec(k, 5*rng.Float64())
	}
	y.MulVec(a, truth)

	m := dc.NewModel()
	x := m.Var("x", []int{n}, dc.AtLeast(0), dc.StartAt(1))
	var roots []dc.Operand
	for k := range n {
		roots = append(roots, dc.Sqrt(x.At(k)))
	}
	m.Minimize(dc.Sum(roots...))
	m.SubjectTo(dc.EQ(dc.MatMul(dc.Mat(a), x), dc.Vec(y.RawVector().Data)))
	p, err := m.Problem()
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
	fmt.Println(res.Status, err)
	fmt.Println("found:", mat.EqualApprox(x.Matrix(res.X), truth, 1e-4))
	// Output:
	// converged <nil>
	// found: true
}
