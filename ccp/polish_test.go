package ccp_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// TestPolishedPoints: the points of problems with known solutions are within 1e-8, where the
// objective to Tol alone leaves 1e-4. Those of Hock and Schittkowski are not convex.
func TestPolishedPoints(t *testing.T) {
	product := func(x dc.Expr, of ...int) dc.Expr {
		f := x.At(of[0])
		for _, j := range of[1:] {
			f = dc.Mul(f, x.At(j))
		}
		return f
	}
	variable := func(m *dc.Model, n int, opts ...dc.VarOption) dc.Expr { return m.Var("x", []int{n}, opts...) }
	for _, c := range []struct {
		name string
		make func(m *dc.Model)
		want []float64
	}{
		{"logistic", func(m *dc.Model) {
			x := variable(m, 1)
			m.Minimize(dc.Logistic(x).Sum().Sub(x.Sum().Scale(0.3)))
		}, []float64{math.Log(3.0 / 7)}},
		{"entropy", func(m *dc.Model) {
			x := variable(m, 4)
			m.Minimize(dc.Entropy(x).Sum().Scale(-1))
			m.SubjectTo(dc.EQ(x.Sum(), dc.Num(1)))
		}, []float64{0.25, 0.25, 0.25, 0.25}},
		{"ball", func(m *dc.Model) {
			x := variable(m, 2)
			m.Minimize(x.Dot([]float64{3, 4}))
			m.SubjectTo(dc.LE(dc.Norm2(x), dc.Num(1)))
		}, []float64{-0.6, -0.8}},
		// xᵢ = sign(bᵢ)·max(|bᵢ| − 1/2, 0) with an orthogonal matrix
		{"lasso", func(m *dc.Model) {
			x := variable(m, 2)
			a := mat.NewDense(2, 2, []float64{0.6, -0.8, 0.8, 0.6})
			b := dc.Vec([]float64{0.6*2 - 0.8*0.3, 0.8*2 + 0.6*0.3})
			m.Minimize(dc.SumSquares(dc.MatMul(dc.Mat(a), x).Sub(b)).Add(dc.Norm1(x)))
		}, []float64{1.5, 0}},
		// eˣ + e^(1−x) of a geometric program
		{"exp", func(m *dc.Model) {
			x := variable(m, 1)
			m.Minimize(dc.Exp(x).Sum().Add(dc.Exp(x.Scale(-1).Add(dc.Num(1))).Sum()))
		}, []float64{0.5}},
		{"hs29", func(m *dc.Model) {
			x := variable(m, 3, dc.StartAt(1))
			m.Minimize(product(x, 0, 1, 2).Neg())
			m.SubjectTo(dc.LE(dc.Square(x).Dot([]float64{1, 2, 4}), dc.Num(48)))
		}, []float64{4, 2 * math.Sqrt2, 2}},
		{"hs40", func(m *dc.Model) {
			x := variable(m, 4, dc.StartAt(0.8))
			m.Minimize(product(x, 0, 1, 2, 3).Neg())
			m.SubjectTo(dc.EQ(product(x, 0, 0, 0).Add(product(x, 1, 1)), dc.Num(1)),
				dc.EQ(product(x, 0, 0, 3), x.At(2)), dc.EQ(product(x, 3, 3), x.At(1)))
		}, []float64{math.Exp2(-1. / 3), math.Exp2(-1. / 2), math.Exp2(-11. / 12), math.Exp2(-1. / 4)}},
		{"hs42", func(m *dc.Model) {
			x := variable(m, 4, dc.StartAt(1))
			m.Minimize(dc.SumSquares(x.Sub(dc.Vec([]float64{1, 2, 3, 4}))))
			m.SubjectTo(dc.EQ(x.At(0), dc.Num(2)), dc.EQ(dc.SumSquares(x.Slice(2, 4)), dc.Num(2)))
		}, []float64{2, 2, 0.6 * math.Sqrt2, 0.8 * math.Sqrt2}},
	} {
		m := dc.NewModel()
		c.make(m)
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(c.name, err)
		}
		res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
		if err != nil || res.Status != ccp.Converged || !res.Feasible {
			t.Fatal(c.name, res.Status, err)
		}
		for j, want := range c.want {
			if off := math.Abs(res.X[j] - want); !(off <= 1e-8) {
				t.Errorf("%s: x[%d] is %.2g off", c.name, j, off)
			}
		}
	}
}
