package lder_test

import (
	"context"
	"math"
	"testing"

	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// algorithm2 is the paper's training procedure written out plainly: each
// quadratic program is assembled anew, without slacks, and handed to the
// interior point method. It returns the model and the mean squared error at the
// start and after each program.
func algorithm2(t *testing.T, x [][]float64, y []float64, start *lder.Model, kmax int, ε float64) (*lder.Model, []float64) {
	t.Helper()
	r1, r2, n := start.Dims()
	model := lder.NewModel(r1, r2, n)
	model.SetParams(start.Params())
	trace := []float64{dataset.MSE(y, model.PredictAll(x))}
	for range kmax {
		p := program(x, y, model)
		b := ipm.Backend{}
		solver, err := b.New(context.Background(), p, b.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		var res qpbackend.Result
		if err := solver.Solve(context.Background(), &res); err != nil {
			t.Fatal(err)
		}
		solver.Close()
		if res.Status != qpbackend.Solved && res.Status != qpbackend.AlmostSolved {
			t.Fatalf("quadratic program %d: %v %s", len(trace), res.Status, res.Message)
		}
		model.SetParams(res.X[:(r1+r2)*(n+1)])
		last := trace[len(trace)-1]
		trace = append(trace, dataset.MSE(y, model.PredictAll(x)))
		if math.Abs(last-trace[len(trace)-1]) < ε {
			break
		}
	}
	return model, trace
}

// program is the paper's quadratic program (prob:lccp) at the given model, in
// the variables α, ξ.
func program(x [][]float64, y []float64, at *lder.Model) *qpbackend.Problem {
	r1, r2, n := at.Dims()
	m, nα := len(x), (r1+r2)*(n+1)
	var a, p sparse.Triplets
	var l, u []float64
	// row states ⟨(plus − minus), (x_i, 1)⟩ + sign·ξ_i ≤ bound, for blocks of α.
	row := func(i, plus, minus int, sign, bound float64) {
		r := len(u)
		for j, v := range x[i] {
			a.Add(r, plus*(n+1)+j, v)
			a.Add(r, minus*(n+1)+j, -v)
		}
		a.Add(r, plus*(n+1)+n, 1)
		a.Add(r, minus*(n+1)+n, -1)
		a.Add(r, nα+i, sign)
		l, u = append(l, math.Inf(-1)), append(u, bound)
	}
	for i := range x {
		j2, j1 := at.Active(x[i])
		for k := range r1 {
			row(i, k, r1+j1, 1, y[i])
		}
		for k := range r2 {
			row(i, r1+k, j2, -1, -y[i])
		}
		p.Add(nα+i, nα+i, 2/float64(m))
	}
	qp := &qpbackend.Problem{Q: make([]float64, nα+m), L: l, U: u}
	qp.A, _ = a.CSC(len(u), nα+m)
	qp.P, _ = p.CSC(nα+m, nα+m)
	return qp
}
