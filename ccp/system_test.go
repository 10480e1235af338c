//go:build !race

package ccp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// TestEquationsThatHoldAtTheStart: from a point with 100 bits, which are as many equations as
// variables, a run goes on to better points: signals behind a matrix are at the least value found,
// of the sum of squares at the true ones or lower.
func TestEquationsThatHoldAtTheStart(t *testing.T) {
	const n = 100
	rng := rand.New(rand.NewPCG(4, 3))
	draw := func(n int) []float64 {
		v := make([]float64, n)
		for k := range v {
			v[k] = rng.NormFloat64()
		}
		return v
	}
	m := dc.NewModel()
	x := m.Var("x", []int{n})
	a := mat.NewDense(n, n, draw(n*n))
	truth, x0 := make([]float64, n), make([]float64, n)
	for j := range truth {
		truth[j], x0[j] = float64(2*rng.IntN(2)-1), float64(2*rng.IntN(2)-1)
	}
	y := mat.NewVecDense(n, draw(n))
	y.ScaleVec(2.6, y)
	var ax mat.VecDense
	ax.MulVec(a, mat.NewVecDense(n, truth))
	y.AddVec(y, &ax)
	m.Minimize(dc.Norm2(dc.MatMul(dc.Mat(a), x).Sub(dc.Vec(y.RawVector().Data))))
	for j := range n {
		m.SubjectTo(dc.EQ(dc.Square(x.At(j)), dc.Num(1)))
	}
	p := build(t, m)
	res := solve(t, p, x0, nil)
	if at := p.Value(truth); res.Status != ccp.Converged || res.Objective > at+1e-6 {
		t.Errorf("%v at %g after %d iterations, want %g at most", res.Status, res.Objective, res.Iterations, at)
	}
}

// TestProductFromFarStarts: of an equation x·y = 1 with free variables, from starts of unlike
// sizes, no point that is not one of the two local minima is converged, on either branch, and most
// starts lead to one. From the first start a run reaches its limit of iterations in a hop, from the
// others steps were bounded in sizes far above the point, or slacks were too cheap or too dear.
func TestProductFromFarStarts(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2})
	m.Minimize(dc.Square(x.At(0).Sub(dc.Num(2))).Add(dc.Square(x.At(1))))
	m.SubjectTo(dc.EQ(dc.Mul(x.At(0), x.At(1)), dc.Num(1)))
	p := build(t, m)
	starts := [][]float64{{-20492.1, -0.0215099}, {-5.01936, 297044}, {1.20056e-05, -18756.2}, {-0.0222148, -1.37655e-05}, {2128.63, 0.00793597}, {4286.93, -0.00013738}}
	reached := 0
	for _, x0 := range starts {
		res := solve(t, p, x0, nil)
		if res.Status != ccp.Converged {
			continue
		}
		if reached++; min(math.Abs(res.Objective-0.2367022), math.Abs(res.Objective-9.3272762)) > 1e-3 {
			t.Errorf("from %v: converged at %v, objective %g, violation %g", x0, res.X, res.Objective, res.Violation)
		}
	}
	if reached < len(starts)/2 {
		t.Errorf("%d of %d starts converge", reached, len(starts))
	}
}
