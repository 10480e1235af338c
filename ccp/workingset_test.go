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

// TestWorkingSet: a ramp loss support vector machine of many samples with two of ten features each ends at the same point
// with a working set and without, and with one the backend sees a part of the rows.
func TestWorkingSet(t *testing.T) {
	const samples, dim = 5000, 10
	rng := rand.New(rand.NewPCG(3, 5))
	m := dc.NewModel()
	w := m.Var("w", []int{dim}, dc.StartAt(0.3, 0.1, -0.2, 0.1, 0.3, 0.1, -0.2, 0.1, 0.3, 0.1))
	cost := []dc.Operand{dc.SumSquares(w).Scale(0.5)}
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
	without := solve(t, p, nil, func(s *ccp.Settings) { plainly(s); s.Backend, s.WorkingSet = largest{rows: &all}, false })
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
