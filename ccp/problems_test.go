package ccp_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc"
)

func build(t testing.TB, m *dc.Model) *dc.Problem {
	t.Helper()
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// packing places circles of the given radii without overlap so that the
// largest coordinate of any is least.
func packing(t testing.TB, r []float64) *dc.Problem {
	m := dc.NewModel()
	n := len(r)
	c := m.Var("c", []int{n, 2}, dc.StartNormal(0, 10))
	var tops []dc.Expr
	for i := range n {
		tops = append(tops, dc.NormInf(c.Row(i)).Add(dc.Num(r[i])))
	}
	m.Minimize(dc.Max(tops...))
	for i := range n {
		for j := i + 1; j < n; j++ {
			apart := dc.GE(dc.Norm2(c.Row(i).Sub(c.Row(j))), dc.Num(r[i]+r[j]))
			m.SubjectTo(apart.Named("apart", i+1, j+1))
		}
	}
	return build(t, m)
}

func radii(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 7))
	r := make([]float64, n)
	for i := range r {
		r[i] = 1 + rng.Float64()
	}
	return r
}

// control steers two masses from given states to given states with the least
// thrust, keeping them 0.6 apart: the second example of the DCCP paper. Its
// optimum without the distance is 45.147471, which is reached with it.
func control(t testing.TB) *dc.Problem {
	m := dc.NewModel()
	const steps = 100
	x := m.Var("x", []int{2, steps, 4})
	u := m.Var("u", []int{2, steps, 2}, dc.AtLeast(-0.5), dc.AtMost(0.5))
	a := mat.NewDense(4, 4, []float64{1, 0, 0.1, 0, 0, 1, 0, 0.1, 0, 0, 0.95, 0, 0, 0, 0, 0.95})
	b := mat.NewDense(4, 2, []float64{0, 0, 0, 0, 0.1, 0, 0, 0.1})
	from := [][]float64{{1, 4, 0.5, 0.5}, {3, 5, -0.5, 0}}
	to := [][]float64{{3, 3, 0, -0.5}, {3.5, 3.5, 0.5, -0.5}}
	for i := range 2 {
		m.SubjectTo(dc.EQ(x.Row(i).Row(0), dc.Vec(from[i])).Named("init", i+1))
		m.SubjectTo(dc.EQ(x.Row(i).Row(steps-1), dc.Vec(to[i])).Named("goal", i+1))
		for k := range steps - 1 {
			next := dc.MatMul(dc.Mat(a), x.Row(i).Row(k)).Add(dc.MatMul(dc.Mat(b), u.Row(i).Row(k)))
			m.SubjectTo(dc.EQ(x.Row(i).Row(k+1), next).Named("dyn", i+1, k+1))
		}
	}
	for k := range steps {
		gap := x.Row(0).Row(k).Slice(0, 2).Sub(x.Row(1).Row(k).Slice(0, 2))
		m.SubjectTo(dc.GE(dc.Norm2(gap), dc.Num(0.6)).Named("sep", k+1))
	}
	m.Minimize(dc.Norm1(u))
	return build(t, m)
}

// boxLS is least squares over x in {−1, 1}ⁿ, written as −1 ≤ x ≤ 1 and x² ≥ 1,
// and the objective at the point that made the data.
func boxLS(t testing.TB, n int, seed uint64) (*dc.Problem, float64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	m := dc.NewModel()
	x := m.Var("x", []int{n}, dc.AtLeast(-1), dc.AtMost(1))
	a := mat.NewDense(2*n, n, nil)
	truth, y := make([]float64, n), make([]float64, 2*n)
	for j := range truth {
		truth[j] = float64(2*rng.IntN(2) - 1)
	}
	for i := range y {
		y[i] = 2 * rng.NormFloat64()
		for j := range n {
			a.Set(i, j, rng.NormFloat64())
			y[i] += a.At(i, j) * truth[j]
		}
	}
	m.Minimize(dc.SumSquares(dc.MatMul(dc.Mat(a), x).Sub(dc.Vec(y))))
	for j := range n {
		m.SubjectTo(dc.GE(dc.Square(x.At(j)), dc.Num(1)).Named("bit", j+1))
	}
	p := build(t, m)
	return p, p.Value(truth)
}

// l1l2 is sparse least squares ½‖Ax − b‖² + λ(‖x‖₁ − ‖x‖₂), Yin, Lou, He and
// Xin 2015, and the sparse vector behind b = Ax.
func l1l2(t testing.TB, n int, seed uint64) (*dc.Problem, []float64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	rows := n / 4
	a := mat.NewDense(rows, n, nil)
	truth, b := make([]float64, n), make([]float64, rows)
	for range n / 20 {
		truth[rng.IntN(n)] = rng.NormFloat64()
	}
	for i := range rows {
		for j := range n {
			a.Set(i, j, rng.NormFloat64())
			b[i] += a.At(i, j) * truth[j]
		}
	}
	m := dc.NewModel()
	x := m.Var("x", []int{n}, dc.StartAt(0))
	fit := dc.SumSquares(dc.MatMul(dc.Mat(a), x).Sub(dc.Vec(b))).Scale(0.5)
	m.Minimize(dc.Sum(fit, dc.Norm1(x).Scale(0.01), dc.Norm2(x).Scale(-0.01)))
	return build(t, m), truth
}
