package ccp_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// TestWhatProblemsBecome: quadratic objectives are P and no cone, a norm in an
// objective is one cone, a norm below a bound needs no column, and matfrac terms
// over one matrix are one cone.
func TestWhatProblemsBecome(t *testing.T) {
	a := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	for _, tt := range []struct {
		name          string
		state         func(m *dc.Model)
		columns, rows int
		quadratic     bool
		cones         string
	}{
		{"least squares", func(m *dc.Model) { m.Minimize(dc.SumSquares(dc.MatMul(dc.Mat(a), m.Var("x", []int{2})))) }, 2, 0, true, "[]"},
		{"tall least squares row by row", func(m *dc.Model) { // one block of P, as if in one piece
			x := m.Var("x", []int{3})
			var rows []dc.Expr
			for i := range 20 {
				rows = append(rows, dc.Square(x.Dot([]float64{1, float64(i), float64(i*i) / 9}).Add(dc.Num(float64(i)))))
			}
			m.Minimize(dc.Sum(rows...))
		}, 3, 0, true, "[]"},
		{"squares of few and of many", func(m *dc.Model) { // the wide one has a column of its own
			x := m.Var("x", []int{9})
			m.Minimize(dc.Sum(dc.Square(x.Sum()), dc.SumSquares(x)))
		}, 10, 1, true, "[]"},
		{"norm2", func(m *dc.Model) { m.Minimize(dc.Norm2(dc.MatMul(dc.Mat(a), m.Var("x", []int{2})))) }, 3, 3, false, "[second-order]"},
		{"tall norm2", func(m *dc.Model) { // by a QR factorisation
			a := mat.NewDense(20, 2, nil)
			a.Apply(func(i, j int, _ float64) float64 { return float64(i*i + 3*j - i*j) }, a)
			m.Minimize(dc.Norm2(dc.MatMul(dc.Mat(a), m.Var("x", []int{2})).Add(dc.Num(1))))
		}, 3, 1 + 3, false, "[second-order]"},
		{"norm2 below", func(m *dc.Model) {
			x := m.Var("x", []int{2})
			m.Minimize(x.Sum())
			m.SubjectTo(dc.LE(dc.Norm2(x).Scale(2).Add(x.At(0)), dc.Num(3)))
		}, 2, 3, false, "[second-order]"},
		{"squares below", func(m *dc.Model) {
			x := m.Var("x", []int{2})
			m.Minimize(x.Sum())
			m.SubjectTo(dc.LE(dc.Square(x.At(0)), dc.Num(4)), dc.LE(dc.Square(x.At(0)).Add(dc.Square(x.At(1))), dc.Num(3)), dc.LE(dc.SumSquares(x), x.At(0)))
		}, 2, 1 + 3 + 4, false, "[second-order]"},
		{"curves below constants", func(m *dc.Model) { // rows
			x := m.Var("x", []int{2})
			m.Minimize(x.Sum())
			m.SubjectTo(dc.LE(dc.Exp(x.At(0)), dc.Num(4)), dc.GE(dc.Log(x.At(1)), dc.Num(-3)), dc.GE(dc.Sqrt(x.At(0)).Scale(2), dc.Num(1)))
		}, 2, 3, false, "[]"},
		{"psd and logdet", func(m *dc.Model) { // one cone says both
			x := m.Var("X", []int{3, 3}, dc.PSD())
			m.Minimize(dc.LogDet(x).Add(x.At(0, 0)))
		}, 6, 6, false, "[semidefinite]"},
		{"matfrac", func(m *dc.Model) {
			x := m.Var("X", []int{3, 3}, dc.Symmetric())
			var parts []dc.Expr
			for k := range 7 {
				parts = append(parts, dc.MatFrac(dc.Vec([]float64{1, float64(k), float64(k * k)}), x))
			}
			m.Minimize(dc.Sum(parts...))
		}, 6 + 6, 21, false, "[semidefinite]"},
		{"eigenvalues below", func(m *dc.Model) {
			x := m.Var("X", []int{3, 3}, dc.Symmetric())
			m.Minimize(x.At(0, 0))
			m.SubjectTo(dc.LE(dc.LambdaMax(x), dc.Num(1)), dc.GE(dc.LambdaMin(x), dc.Num(-1)))
		}, 6, 12, false, "[semidefinite]"},
		{"positive part", func(m *dc.Model) { // constant pieces and signs of parts are bounds
			m.Minimize(dc.Pos(m.Var("x", []int{3}).Dot([]float64{1, 2, 3}).Add(dc.Num(1))))
		}, 3 + 1, 1, false, "[]"},
		{"absolute value", func(m *dc.Model) {
			m.Minimize(dc.Abs(m.Var("x", []int{3}).Dot([]float64{1, 2, 3}).Add(dc.Num(1))))
		}, 3 + 2, 1, false, "[]"},
		{"order two", func(m *dc.Model) { m.Maximize(dc.LambdaMin(m.Var("X", []int{2, 2}, dc.Symmetric()))) }, 4, 3, false, "[second-order]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := dc.NewModel()
			tt.state(m)
			s, err := ccp.Inspect(context.Background(), build(t, m))
			if err != nil {
				t.Fatal(err)
			}
			if s.Columns != tt.columns || s.Rows != tt.rows || (s.NonzerosP > 0) != tt.quadratic || fmt.Sprint(s.Cones) != tt.cones {
				t.Errorf("%d columns, %d rows, %d in P, cones %v", s.Columns, s.Rows, s.NonzerosP, s.Cones)
			}
		})
	}
}

// TestMultipliersOfCones: those of constraints that became one cone.
func TestMultipliersOfCones(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2})
	y := m.Var("Y", []int{3, 3}, dc.PSD())
	z := m.Var("Z", []int{2, 2}, dc.Symmetric())
	u := m.Var("u", []int{5})
	v := m.Var("v", []int{7})
	m.Maximize(x.Dot([]float64{3, 4}).
		Add(y.At(0, 0).Scale(2)).Add(y.At(1, 1)).Sub(y.At(2, 2)).
		Add(z.At(0, 0).Scale(5)).Add(z.At(1, 1)).
		Sub(u.At(0)).Add(u.At(1)).Add(u.At(2).Scale(2)).Sub(u.At(3).Scale(4)).
		Add(v.Dot([]float64{1, 1, -1, -1, -1, 1, 1})))
	m.SubjectTo(
		dc.LE(dc.Norm2(x).Scale(2), dc.Num(2)),                        // grows by 5/2 with the bound
		dc.LE(dc.LambdaMax(y), dc.Num(1)),                             // by the positive eigenvalues 2 + 1
		dc.LE(dc.LambdaMax(z), dc.Num(1)),                             // by 5 + 1
		dc.LE(dc.SumSquares(z), dc.Num(1000)),                         // not at all
		dc.LE(dc.Square(u.At(0)).Scale(3), dc.Num(12)),                // −u₀ = 2, by 1/12
		dc.LE(dc.SumSquares(u.Slice(1, 3)).Add(dc.Num(1)), dc.Num(6)), // √5·√b, by √5/2√5
		dc.LE(dc.Square(u.At(3)), u.At(4)),                            // −4u₃ with u₄ ≤ 4
		dc.LE(u.At(4), dc.Num(4)),
		dc.LE(dc.Exp(v.At(0)).Scale(2), dc.Num(6)),       // log b/2, by 1/6
		dc.LE(dc.Logistic(v.At(1)), dc.Num(math.Log(3))), // log 2, by 3/2
		dc.GE(dc.Log(v.At(2)), dc.Num(0)),                // eᵇ, by 1
		dc.GE(dc.Sqrt(v.At(3)), dc.Num(2)),               // b², by 4
		dc.LE(dc.InvPos(v.At(4)), dc.Num(2)),             // 1/b, by 1/4
		dc.LE(dc.Power(v.At(5), 3), dc.Num(8)),           // the two parts of the cube: v ≤ 2
		dc.LE(dc.Power(v.At(6).Neg(), -2), dc.Num(4)),    // −b^(−1/2), by 1/16
	)
	p := build(t, m)
	res := solve(t, p, []float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 5, 1, 0, -1}, nil)
	if res.Status != ccp.Converged || math.Abs(res.Objective-(5+3+6+2+5+8+math.Log(3)+math.Log(2)-1-4-0.5+2-0.5)) > 1e-6 {
		t.Fatalf("%v, objective %g", res.Status, res.Objective)
	}
	for k, want := range []float64{1, 2.5, 3, 6, 0, 1. / 12, 0.5, 1, 1, 1. / 6, 1.5, 1, 4, 0.25, 1. / 12, 1. / 16} { // the first is psd(Y): Y[2,2] costs 1
		got := res.Duals[k][0]
		if n := p.Program().Constraints[k].Order(); n > 0 { // a matrix: its trace
			got = 0
			for i := range n {
				got += res.Duals[k][i*n+i]
			}
		}
		if math.Abs(got-want) > 1e-5 {
			t.Errorf("multiplier %d is %g, want %g", k, got, want)
		}
	}
}

// TestConcaveMatrixFunctions: −logdet and the like are linearised within their
// domains.
func TestConcaveMatrixFunctions(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("X", []int{3, 3}, dc.Symmetric(), dc.StartAtMatrix(mat.NewDiagDense(3, []float64{1, 1, 1})))
	s := dc.Mat(mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1}))
	m.Minimize(dc.LogDet(x).Add(dc.MatFrac(s, x)).Add(dc.NuclearNorm(x).Scale(0.01)))
	m.SubjectTo(dc.GE(dc.LambdaMin(x), dc.Num(0.1)))
	res := solve(t, build(t, m), nil, nil)
	// Along an eigenvector of SSᵀ with the eigenvalue s the least of
	// log λ + s/λ + λ/100 is at λ with 1/λ − s/λ² + 1/100 = 0, not below 1/10.
	want := 0.0
	for _, s := range []float64{0, 1, 3} {
		λ := max(0.1, (math.Sqrt(1+0.04*s)-1)/0.02)
		want += math.Log(λ) + s/λ + λ/100
	}
	if res.Status != ccp.Converged || math.Abs(res.Objective-want) > 1e-4 {
		t.Errorf("%v, objective %g, want %g", res.Status, res.Objective, want)
	}
}

// TestSquaresTogether: squares stated one by one, in pieces and in one piece have
// the same optimum.
func TestSquaresTogether(t *testing.T) {
	const rows, cols = 23, 5
	data, rhs := mat.NewDense(rows, cols, nil), make([]float64, rows)
	data.Apply(func(i, j int, _ float64) float64 { // the last column is missing in some rows
		if j == cols-1 && i%3 == 0 {
			return 0
		}
		return math.Sin(float64(i*i+7*j) + 0.3)
	}, data)
	for i := range rhs {
		rhs[i] = math.Cos(float64(3 * i))
	}
	optimum := func(state func(a dc.Expr) dc.Expr) float64 {
		m := dc.NewModel()
		m.Minimize(state(dc.MatMul(dc.Mat(data), m.Var("x", []int{cols})).Sub(dc.Vec(rhs))))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
		if err != nil || res.Status != ccp.Converged {
			t.Fatal(res.Status, err)
		}
		return res.Objective
	}
	want := optimum(dc.SumSquares)
	for name, state := range map[string]func(a dc.Expr) dc.Expr{
		"one by one": func(a dc.Expr) dc.Expr {
			var es []dc.Expr
			for k := range rows {
				es = append(es, dc.Square(a.At(k)))
			}
			return dc.Sum(es...)
		},
		"in pieces with weights": func(a dc.Expr) dc.Expr {
			return dc.Sum(dc.SumSquares(a.Slice(0, 9)).Scale(2), dc.SumSquares(a.Slice(9, 10)), dc.SumSquares(a.Slice(10, rows)), dc.SumSquares(a.Slice(0, 9)).Neg())
		},
	} {
		if got := optimum(state); !(math.Abs(got-want) <= 1e-7*max(1, want)) {
			t.Errorf("%s the optimum is %g, want %g", name, got, want)
		}
	}
}
