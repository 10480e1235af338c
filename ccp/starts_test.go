package ccp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/heuristic"
)

// signs is least squares over signs, ‖Ax − b‖² with x² = 1, without a planted solution.
func signs(t testing.TB, n int, seed uint64) (p *dc.Problem, a *mat.Dense, b []float64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	a, b = mat.NewDense(n, n, nil), make([]float64, n)
	for i := range b {
		b[i] = math.Sqrt(float64(n)) * rng.NormFloat64()
		for j := range n {
			a.Set(i, j, rng.NormFloat64())
		}
	}
	m := dc.NewModel()
	x := m.Var("x", []int{n})
	m.Minimize(dc.SumSquares(dc.MatMul(dc.Mat(a), x).Sub(dc.Vec(b))))
	for j := range n {
		m.SubjectTo(dc.EQ(dc.Square(x.At(j)), dc.Num(1)))
	}
	return build(t, m), a, b
}

// leastOverSigns goes through all of them.
func leastOverSigns(a *mat.Dense, b []float64) float64 {
	n := len(b)
	least := math.Inf(1)
	for bits := range 1 << n {
		sum := 0.0
		for i := range n {
			v := -b[i]
			for j := range n {
				if bits>>j&1 == 1 {
					v += a.At(i, j)
				} else {
					v -= a.At(i, j)
				}
			}
			sum += v * v
		}
		least = min(least, sum)
	}
	return least
}

// TestDrawnStartsMatter: without any search, starts of these problems lead to different
// points.
func TestDrawnStartsMatter(t *testing.T) {
	p, _, _ := signs(t, 12, 1)
	last := map[int]float64{}
	set := ccp.DefaultSettings()
	set.Heuristics.Search = heuristic.Search{}
	set.Recorder = ccp.RecorderFunc(func(it ccp.Iteration) error {
		last[it.Start] = math.Round(it.Objective)
		return nil
	})
	if _, err := ccp.Multistart(context.Background(), p, 8, set); err != nil {
		t.Fatal(err)
	}
	ends := map[float64]bool{}
	for _, v := range last {
		ends[v] = true
	}
	if len(ends) < 3 {
		t.Errorf("eight starts end at %v", ends)
	}
}

// cover draws a set of least cost that covers a demand, in 0 or 1 by u(1 − u) ≤ 0, and the
// least cost, by going through all sets.
func cover(t testing.TB, seed uint64) (p *dc.Problem, least float64) {
	const n = 8
	rng := rand.New(rand.NewPCG(seed, 9))
	cost, size, total := make([]float64, n), make([]float64, n), 0.0
	for j := range n {
		cost[j], size[j] = 1+rng.Float64(), 1+3*rng.Float64()
		total += size[j]
	}
	least = math.Inf(1)
	for bits := range 1 << n {
		c, s := 0.0, 0.0
		for j := range n {
			if bits>>j&1 == 1 {
				c, s = c+cost[j], s+size[j]
			}
		}
		if s >= .6*total {
			least = min(least, c)
		}
	}
	m := dc.NewModel()
	u := m.Var("u", []int{n}, dc.AtLeast(0), dc.AtMost(1))
	m.Minimize(u.Dot(cost))
	m.SubjectTo(dc.GE(u.Dot(size), dc.Num(.6*total)))
	for j := range n {
		m.SubjectTo(dc.LE(u.At(j).Sub(dc.Square(u.At(j))), dc.Num(0)))
	}
	return build(t, m), least
}

// TestStartsLieInTheBox: where a row shows that x is at least 2, abs(x - 1) is x - 1, and a start
// of -5 is no point at which that may be evaluated; without time, too, the objective is that of the
// point.
func TestStartsLieInTheBox(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", nil, dc.AtLeast(-10), dc.AtMost(10), dc.StartAt(-5))
	m.SubjectTo(dc.GE(x, dc.Num(2)))
	m.Minimize(dc.Max(x.Sub(dc.Num(1)), dc.Num(1).Sub(x)))
	p := build(t, m)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ctx := range []context.Context{t.Context(), ended} {
		res, err := ccp.Solve(ctx, p, []float64{-5}, ccp.DefaultSettings())
		if res == nil {
			t.Fatal(err)
		}
		if res.X[0] < 2 || res.Objective != math.Abs(res.X[0]-1) {
			t.Errorf("%v: x = %g with objective %g", res.Status, res.X[0], res.Objective)
		}
	}
}

// TestStartThatOverflows: a start at which a variable that an equation defines, or the distance to
// the constraints, is beyond all numbers costs the others nothing.
func TestStartThatOverflows(t *testing.T) {
	for _, at := range []float64{1, 300, 1000} {
		m := dc.NewModel()
		x, y := m.Var("x", nil, dc.StartAt(at)), m.Var("y", nil)
		z := m.Var("z", nil, dc.AtLeast(0.1), dc.AtMost(5), dc.StartAt(1))
		m.Minimize(dc.Square(x.Sub(dc.Num(1))).Sub(dc.Square(z)).Sub(y.Scale(0.1)))
		m.SubjectTo(dc.EQ(y, dc.Exp(x).Neg()), dc.LE(dc.Square(x).Add(dc.Square(z)), dc.Num(9)))
		res, err := ccp.Multistart(context.Background(), build(t, m), 5, ccp.DefaultSettings())
		if err != nil {
			t.Fatalf("from %g: %v", at, err)
		}
		if res.Status != ccp.Converged || res.Starts != 5 || !(math.Abs(res.Objective+8.338392905) < 1e-6) {
			t.Errorf("from %g: %v with %.10g from %d starts", at, res.Status, res.Objective, res.Starts)
		}
		for _, y := range []float64{7, math.Inf(-1)} { // which has no say
			alone, err := ccp.Solve(context.Background(), build(t, m), []float64{at, y, 1}, ccp.DefaultSettings())
			if err != nil || alone.Status != ccp.Converged {
				t.Errorf("from %g and %g alone: %+v, %v", at, y, alone, err)
			}
		}
	}
}
