package nine_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// Unit vectors with a small image and few entries, for several bounds on their
// 1-norm: a parameter, so the problem is compiled once.
func Example_sparseSingularVectors() {
	const rows, n = 30, 6
	rng := rand.New(rand.NewPCG(4, 4))
	a := make([]float64, rows*n)
	for k := range a {
		a[k] = rng.NormFloat64()
	}

	m := dc.NewModel()
	x := m.Var("x", []int{n}, dc.StartNormal(0, 1))
	mu := m.Param("mu", nil, 1)
	m.Minimize(dc.Norm2(dc.MatMul(dc.Const([]int{rows, n}, a), x)))
	m.SubjectTo(dc.EQ(dc.Norm2(x), 1).Named("unit"), dc.LE(dc.Norm1(x), mu).Named("sparse"))
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := ccp.NewSession(context.Background(), p, ccp.DefaultSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for _, v := range []float64{2.5, 2.2, 2} {
		_ = s.Set("mu", v)
		res, err := s.Solve(context.Background(), nil)
		fmt.Printf("mu %.1f: %v %v, norm %.2f\n", v, res.Status, err, res.Objective)
	}
	// Output:
	// mu 2.5: converged <nil>, norm 3.12
	// mu 2.2: converged <nil>, norm 3.13
	// mu 2.0: converged <nil>, norm 3.25
}
