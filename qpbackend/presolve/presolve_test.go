package presolve_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/formats"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/presolve"
	"github.com/dcopt/dcopt/qpbackend/qptest"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

func TestSuite(t *testing.T) {
	qptest.Run(t, presolve.Backend{Inner: ipm.Backend{}}, qptest.Exact)
}

func solve(t *testing.T, b qpbackend.Backend, p *qpbackend.Problem) qpbackend.Result {
	t.Helper()
	s, err := b.New(context.Background(), p, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var res qpbackend.Result
	if err := s.Solve(context.Background(), &res); err != nil {
		t.Fatal(err)
	}
	return res
}

// reducible is a feasible, bounded problem in which every kind of reduction
// finds something: equations of one variable, free rows, empty rows, multiples,
// columns of bounds alone, free columns of one row.
func reducible(rng *rand.Rand) *qpbackend.Problem {
	n := 6 + rng.IntN(10)
	p := &qpbackend.Problem{Q: make([]float64, n), R: rng.NormFloat64()}
	x := make([]float64, n)
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	var a, h sparse.Triplets
	row := func(cols []int, vals []float64, kind int) {
		i, at := len(p.L), 0.0
		for k, j := range cols {
			a.Add(i, j, vals[k])
			at += vals[k] * x[j]
		}
		l, u := at-rng.Float64(), at+rng.Float64()
		switch kind {
		case 0:
			l, u = at, at
		case 1:
			l = math.Inf(-1)
		case 2:
			u = math.Inf(1)
		case 3:
			l, u = math.Inf(-1), math.Inf(1)
		}
		p.L, p.U = append(p.L, l), append(p.U, u)
	}
	inP := n / 2 // the others are linear
	for j := range inP {
		h.Add(j, j, 0.1+rng.Float64())
		if j > 0 {
			h.Add(j-1, j, 0.05)
		}
		p.Q[j] = rng.NormFloat64()
	}
	free := inP // a free column of one row, cost 0 or in the row's favour
	for j := inP + 1; j < n; j++ {
		p.Q[j] = rng.NormFloat64()
		row([]int{j}, []float64{1 + rng.Float64()}, -1)
	}
	for range 3 + rng.IntN(5) {
		var cols []int
		var vals []float64
		for j := range n {
			if j != free && rng.IntN(3) == 0 {
				cols, vals = append(cols, j), append(vals, rng.NormFloat64())
			}
		}
		row(cols, vals, rng.IntN(5)-1)
		if rng.IntN(2) == 0 && len(cols) > 1 { // a multiple
			s := 2 * rng.NormFloat64()
			times := make([]float64, len(vals))
			for k := range vals {
				times[k] = s * vals[k]
			}
			row(cols, times, rng.IntN(4)-1)
		}
	}
	row([]int{rng.IntN(inP)}, []float64{3}, 0) // fixes a variable
	switch rng.IntN(3) {
	case 0:
		row([]int{free, 0, 1}, []float64{2, 1, -1}, 0)
		p.Q[free] = rng.NormFloat64()
	case 1:
		row([]int{free, 0, n - 1}, []float64{1, 1, 1}, -1)
	case 2:
		row([]int{free, 0, n - 1}, []float64{-1.5, 1, 1}, 2)
		p.Q[free] = -rng.Float64() // the row's lower side holds: −1.5 x ≥ …
	}
	p.A, _ = a.CSC(len(p.L), n)
	p.P, _ = h.CSC(n, n)
	return p
}

func TestReducedAnswersHoldOnTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 21))
	reduced := 0
	for seed := range 500 {
		p := reducible(rng)
		want := solve(t, ipm.Backend{}, p)
		got := solve(t, presolve.Backend{Inner: ipm.Backend{}}, p)
		if want.Status != qpbackend.Solved || got.Status != qpbackend.Solved {
			t.Fatalf("problem %d: %v, with presolve %v", seed, want.Status, got.Status)
		}
		if d := math.Abs(got.Objective - want.Objective); d > 1e-6*(1+math.Abs(want.Objective)) {
			t.Errorf("problem %d: objective %g, with presolve %g", seed, want.Objective, got.Objective)
		}
		if res := qpbackend.Certify(p, got.X, got.Y, got.Z); res.Max() > 1e-7 || res != got.Res {
			t.Errorf("problem %d: residuals %+v, said to be %+v (%s)", seed, res, got.Res, got.Message)
		}
		if got.Message != "" {
			reduced++
		}
	}
	t.Logf("%d problems were reduced", reduced)
	if reduced == 0 {
		t.Error("no problem was reduced")
	}
}

func TestInfeasibleAndUnboundedKeepTheirProof(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 22))
	for seed := range 100 {
		p := reducible(rng)
		n, m := p.Dims()
		// Two equations that exclude each other.
		q := p.Clone()
		q.A = extend(p.A, []float64{1, 1}, []int{0, 1})
		q.A = extend(q.A, []float64{2, 2}, []int{0, 1})
		q.L, q.U = append(q.L, 1, 3), append(q.U, 1, 3)
		res := solve(t, presolve.Backend{Inner: ipm.Backend{}}, q)
		if res.Status != qpbackend.PrimalInfeasible || len(res.Y) != m+2 || qpbackend.PrimalInfeasibility(q, res.Y, res.Z) > 1e-7 {
			t.Errorf("problem %d: %v", seed, res.Status)
		}
		// A free linear variable with a cost.
		q = p.Clone()
		q.Q = append(q.Q, 1)
		q.A.Cols, q.P.Cols, q.P.Rows = n+1, n+1, n+1
		q.A.ColPtr = append(q.A.ColPtr, q.A.ColPtr[n])
		q.P.ColPtr = append(q.P.ColPtr, q.P.ColPtr[n])
		res = solve(t, presolve.Backend{Inner: ipm.Backend{}}, q)
		if res.Status != qpbackend.DualInfeasible || len(res.X) != n+1 || qpbackend.DualInfeasibility(q, res.X) > 1e-7 {
			t.Errorf("problem %d: %v", seed, res.Status)
		}
	}
}

// extend appends a row.
func extend(a *sparse.CSC, vals []float64, cols []int) *sparse.CSC {
	var t sparse.Triplets
	for j := range a.Cols {
		for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
			t.Add(a.RowIdx[k], j, a.Val[k])
		}
	}
	for k, j := range cols {
		t.Add(a.Rows, j, vals[k])
	}
	out, _ := t.CSC(a.Rows+1, a.Cols)
	return out
}

// TestMarosMeszaros solves the smaller files with presolve and compares the
// certified answers.
func TestMarosMeszaros(t *testing.T) {
	solved := 0
	for _, program := range shared.Sample(t, 4, shared.MarosMeszaros(t)) {
		f, err := formats.ReadFile(program.Path)
		if err != nil {
			t.Fatal(err)
		}
		if f.Problem.A.NNZ() > 15_000 {
			continue
		}
		res := solve(t, presolve.Backend{Inner: ipm.Backend{}}, f.Problem)
		if res.Status != qpbackend.Solved || qpbackend.Certify(f.Problem, res.X, res.Y, res.Z).Max() > 1e-7 {
			t.Errorf("%s: %v, residuals %+v", program.Name, res.Status, res.Res)
		}
		t.Logf("%-20s %s", program.Name, res.Message)
		solved++
	}
	if !shared.Race && (solved < 40 && shared.Whole(t) || solved < 25) {
		t.Errorf("%d problems tried", solved)
	}
}
