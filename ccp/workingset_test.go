//go:build !race

package ccp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// largest notes the rows of the largest problem that it makes a solver of.
type largest struct {
	ipm.Backend
	rows *atomic.Int64
}

func (b largest) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	b.rows.Store(max(b.rows.Load(), int64(len(p.L))))
	return b.Backend.New(ctx, p, set)
}

// tallying adds up the iterations of all solutions.
type tallying struct {
	ipm.Backend
	iterations *atomic.Int64
}

func (b tallying) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	s, err := b.Backend.New(ctx, p, set)
	return tallied{s, b.iterations}, err
}

type tallied struct {
	qpbackend.Solver
	iterations *atomic.Int64
}

func (s tallied) Solve(ctx context.Context, dst *qpbackend.Result) error {
	err := s.Solver.Solve(ctx, dst)
	s.iterations.Add(int64(dst.Iterations))
	return err
}

// TestAllIterationsCount: an iteration of the procedure that has solved its convex problem more
// than once, with rows of more constraints each time, tells the iterations of all these solutions.
func TestAllIterationsCount(t *testing.T) {
	const circles = 200
	rng := rand.New(rand.NewPCG(2, 5))
	m := dc.NewModel()
	start := make([]float64, 2*circles)
	for j := range start {
		start[j] = 40 * rng.NormFloat64()
	}
	c := m.Var("c", []int{circles, 2}, dc.StartAt(start...))
	m.Minimize(dc.SumSquares(c))
	for i := range circles {
		for j := range i {
			m.SubjectTo(dc.GE(dc.Norm2(c.Row(i).Sub(c.Row(j))), dc.Num(1)).Named("apart", i, j))
		}
	}
	var iterations atomic.Int64
	res := solve(t, build(t, m), nil, func(s *ccp.Settings) {
		plainly(s)
		s.Backend, s.MaxIter = tallying{iterations: &iterations}, 1
	})
	told := 0
	for _, it := range res.History {
		told += it.Solver
	}
	if int64(told) != iterations.Load() || told == 0 {
		t.Errorf("the history has %d iterations of the backend, which has taken %d", told, iterations.Load())
	}
}

// TestWorkingSet: a ramp loss support vector machine of many samples with two of ten features each
// ends at the same point with a working set and without, and with one the backend sees a part of
// the rows.
func TestWorkingSet(t *testing.T) {
	const samples, dim = 5000, 10
	rng := rand.New(rand.NewPCG(3, 5))
	m := dc.NewModel()
	w := m.Var("w", []int{dim}, dc.StartAt(0.3, 0.1, -0.2, 0.1, 0.3, 0.1, -0.2, 0.1, 0.3, 0.1))
	cost := []dc.Expr{dc.SumSquares(w).Scale(0.5)}
	for range samples {
		x := make([]float64, dim)
		label := 0.0
		for _, k := range rng.Perm(dim)[:2] {
			x[k] = rng.NormFloat64()
			label += x[k] + 0.5*rng.NormFloat64()
		}
		z := w.Dot(x).Scale(math.Copysign(1, label))
		cost = append(cost, dc.Pos(z.Neg().Add(dc.Num(1))).Scale(10.0/samples), dc.Pos(z.Neg()).Scale(-10.0/samples))
	}
	m.Minimize(dc.Sum(cost...))
	p := build(t, m)
	var some, all atomic.Int64
	with := solve(t, p, nil, func(s *ccp.Settings) { plainly(s); s.Backend = largest{rows: &some} })
	without := solve(t, p, nil, func(s *ccp.Settings) { plainly(s); s.Backend, s.Heuristics.WorkingSet = largest{rows: &all}, false })
	if with.Status != ccp.Converged || without.Status != ccp.Converged || math.Abs(with.Objective-without.Objective) > 1e-6*without.Objective {
		t.Errorf("%v with %.10g, without a working set %v with %.10g", with.Status, with.Objective, without.Status, without.Objective)
	}
	for k, v := range with.X {
		if math.Abs(v-without.X[k]) > 1e-4 {
			t.Errorf("entry %d is %g, without a working set %g", k, v, without.X[k])
		}
	}
	if all.Load() < samples || some.Load() >= all.Load() {
		t.Errorf("the backend sees %d rows of %d", some.Load(), all.Load())
	}
}
