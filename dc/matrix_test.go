//go:build !race

package dc_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
)

// TestSymmetricVariables: x has the upper triangle, the affine map all entries.
func TestSymmetricVariables(t *testing.T) {
	m := dc.NewModel()
	m.Var("a", []int{2})
	s := m.Var("S", []int{3, 3}, dc.StartAtMatrix(mat.NewDiagDense(3, []float64{1, 2, 3})), dc.AtLeast(0, 1, 2, -1, 0, 0, 5, 0, 0), dc.Symmetric())
	p := m.Var("P", []int{2, 2}, dc.PSD(), dc.AtMost(9), dc.CountFrom(0, 0))
	q, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if q.NumVars() != 2+6+3 || q.Program().Vars[1].Len() != 6 || !q.Program().Vars[2].Symmetric {
		t.Fatalf("%d variables", q.NumVars())
	}
	v := q.Program().Vars[1]
	for _, tt := range []struct{ got, want any }{
		{v.Start.Values, "[1 0 2 0 0 3]"}, {v.Lo, "[0 1 0 5 0 0]"}, {q.Program().Vars[2].Hi, "[9 9 9]"},
		{s.Values([]float64{0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0}), "[1 2 4 2 3 5 4 5 6]"},
		{v.Values([]float64{0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0}), "[1 2 4 2 3 5 4 5 6]"},
		{mat.Sum(s.Matrix([]float64{0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0})), "32"},
	} {
		if fmt.Sprint(tt.got) != tt.want {
			t.Errorf("%v, want %v", tt.got, tt.want)
		}
	}
	if all := q.Program().Constraints; len(all) != 1 || all[0].Name() != "psd(P)" || !all[0].Convex() {
		t.Errorf("constraints %v", q.Program().Constraints)
	}
	x := make([]float64, 11)
	x[9] = 2 // P = [0 2; 2 0] has the eigenvalues ±2
	if got := q.Program().Constraints[0].Violation(x); math.Abs(got-2) > 1e-12 {
		t.Errorf("violation %g", got)
	}
	at := []float64{0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0}
	if d := s.Diag(); fmt.Sprint(d.Values(at), d.Diag().Row(1).Values(at)) != "[1 3 6] [0 3 0]" {
		t.Errorf("diagonals %v, %v", d.Values(at), d.Diag().Values(at))
	}
	if err := s.Row(0).Reshape(1, 3).Diag().Err(); err == nil {
		t.Error("a row as a matrix has a diagonal")
	}
	if i, j, ok := dc.IsSymmetric(p.Add(dc.Const([]int{2, 2}, []float64{0, 1, 0, 0}))); ok || i != 0 || j != 1 {
		t.Errorf("%d, %d, %v", i, j, ok)
	}
}

func TestMatrixMistakes(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2, 2})
	s := m.Var("s", []int{2, 2}, dc.Symmetric())
	for want, e := range map[string]dc.Expr{
		"not seen to be symmetric: entries (0, 1) and (1, 0)": dc.LogDet(x),
		"lambda_max of shape [2]":                             dc.LambdaMax(s.Row(0)),
		"sum of the 3 largest of 2 eigenvalues":               dc.LambdaSumLargest(s, 3),
		"matfrac of shape [1 2]":                              dc.MatFrac(s.Row(0).Reshape(1, 2), s),
		"matfrac over a matrix of data that is not":           dc.MatFrac(s.Row(0), dc.Mat(mat.NewDense(2, 2, []float64{1, 2, 2, 1}))),
		"not positive definite":                               dc.LogDet(dc.Mat(mat.NewDense(2, 2, []float64{1, 2, 2, 1}))),
		"sigma_max of shape [2 2 1]":                          dc.SpectralNorm(x.Reshape(2, 2, 1)),
		"has no value":                                        dc.NuclearNorm(dc.Mat(mat.NewDense(2, 2, []float64{1, math.NaN(), 2, 1}))),
	} {
		if err := e.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	for want, make := range map[string]func(m *dc.Model){
		"shape [2 3] is not symmetric":         func(m *dc.Model) { m.Var("a", []int{2, 3}, dc.PSD()) },
		"the start is not symmetric: it has 1": func(m *dc.Model) { m.Var("a", []int{2, 2}, dc.Symmetric(), dc.StartAt(0, 1, 2, 0)) },
		"bounds 1 and 0": func(m *dc.Model) {
			m.Var("a", []int{2, 2}, dc.Symmetric(), dc.AtLeast(0, 1, 0, 0), dc.AtMost(1, 1, 0, 1))
		},
		"costs of shape [2] for shape [2 2]":     func(m *dc.Model) { m.AddCost(m.Param("p", []int{2}, 1), m.Var("a", []int{2, 2})) },
		"a parameter has 2 numbers, want 1 or 3": func(m *dc.Model) { m.Param("p", []int{3}, 1, 2) },
		"value 0 is +Inf":                        func(m *dc.Model) { m.Param("p", nil, math.Inf(1)) },
	} {
		m := dc.NewModel()
		make(m)
		if _, err := m.Problem(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// TestMaximaOfMatFracs: sums of terms over one matrix become one function, and
// the split of a maximum of their negatives is one all the same.
func TestMaximaOfMatFracs(t *testing.T) {
	m := dc.NewModel()
	y := m.Var("y", nil)
	p := dc.Stack(y.Add(dc.Num(50)), dc.Num(0), dc.Num(0), y.Add(dc.Num(50))).Reshape(2, 2)
	s := dc.Sum(dc.MatFrac(dc.Vec([]float64{1, 2}), p), dc.MatFrac(dc.Vec([]float64{2, 2}), p))
	e := dc.Min(s, s.Scale(2), s.Scale(3), dc.SumLargest(dc.Stack([]dc.Expr{s.Neg(), s.Scale(-2), s.Scale(-3)}...), 2).Add(s.Scale(5)))
	for _, v := range []float64{-2, 0, 3} {
		x := []float64{v}
		want := s.Value(x)
		if got := e.Scalar().G().Value(x) - e.Scalar().H().Value(x); math.Abs(got-want) > 1e-12 || math.Abs(e.Value(x)-want) > 1e-12 {
			t.Errorf("at %g the split has %g, the function %g, want %g", v, got, e.Value(x), want)
		}
	}
}

// TestMatFracsBecomeOne: a sum over one matrix is one function, with the value of
// the sum.
func TestMatFracsBecomeOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	m := dc.NewModel()
	p := m.Var("P", []int{3, 3}, dc.PSD())
	o := m.Var("O", []int{3, 3}, dc.PSD())
	v := m.Var("v", []int{3})
	var parts []dc.Expr
	for range 10 {
		y := dc.Vec([]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
		parts = append(parts, dc.MatFrac(y, p).Scale(rng.Float64()), dc.MatFrac(y.Sub(v), o), dc.MatFrac(y, o).Scale(-rng.Float64()))
	}
	e := dc.Sum(parts...)
	x := []float64{3, 0.5, 2, 0.2, -0.3, 1, 2, 0.1, 2, 0.3, 0.4, 3, 1, -1, 2}
	want := 0.0
	for _, part := range parts {
		want += part.Value(x)
	}
	if got := e.Value(x); math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("value %g, want %g", got, want)
	}
	count := func(f convex.Func) (n, rows int) {
		c := collector{cols: 15, forms: map[convex.Representer]convex.Form{}}
		c.Form(f.(convex.Representer))
		for _, k := range c.cones {
			rows += k.Len
		}
		return len(c.cones), rows
	}
	if n, rows := count(e.Scalar().G()); n != 2 || rows != 6*7/2+7*8/2 { // orders 3 + 3, and 3 + 4 for the data less v
		t.Errorf("g has %d cones, %d rows", n, rows)
	}
	if n, rows := count(e.Scalar().H()); n != 1 || rows != 6*7/2 {
		t.Errorf("h has %d cones, %d rows", n, rows)
	}
	if d := e.Sub(e); !d.IsConst() {
		t.Error("a sum less itself is not zero")
	}
}

// TestParams: values change, all else stays.
func TestParams(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2})
	p := m.Param("p", []int{2}, 1, 2)
	m.Maximize(dc.SumSquares(x.Sub(p.Expr)).Neg())
	m.AddCost(p, x)
	a, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.With("p", 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	for q, want := range map[*dc.Problem]float64{a: -(3-1)*(3-1) - (5-2)*(5-2) + 3 + 10, b: 0 - 1 + 9 + 20} {
		at := []float64{3, 5, 0, 0}
		q.Program().Pin(at)
		if got := q.Value(at); got != want {
			t.Errorf("value %g, want %g", got, want)
		}
		if v, where := q.Violation(at); v != 0 {
			t.Errorf("violation %g of %s", v, where)
		}
		h := q.Program().Objective.H()
		if q.Program().Random() != true || !h.(interface{ Flat() bool }).Flat() {
			t.Error("the costs are not flat, or the start not random")
		}
		grad := make([]float64, 4)
		h.AddSubgrad(grad, 1, at)
		if grad[0] != at[2] || grad[1] != at[3] || grad[2] != 0 {
			t.Errorf("gradient of the costs %v at %v", grad, at)
		}
	}
	if _, err := a.With("x", 1); err == nil {
		t.Error("a variable is set")
	}
}
