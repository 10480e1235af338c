package global_test

import (
	"context"
	"math"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// heavy is ipm with solvers that say that an iteration takes so much work.
type heavy struct {
	ipm.Backend
	work float64
}

type heavySolver struct {
	qpbackend.Solver
	work float64
}

func (h heavySolver) IterationWork() float64 { return h.work }

func (h heavy) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	s, err := h.Backend.New(ctx, p, set)
	return heavySolver{s, h.work}, err
}

// TestTooLarge: no convex problem of the search takes longer than the starts, and the answer says
// that there is no bound because of that.
func TestTooLarge(t *testing.T) {
	for _, work := range []float64{0, 1e9} {
		m := dc.NewModel()
		x := m.Var("x", []int{4}, dc.AtLeast(-1), dc.AtMost(2))
		products := dc.Sum(dc.Mul(x.At(0), x.At(1)), dc.Mul(x.At(1), x.At(2)), dc.Mul(x.At(2), x.At(3)))
		m.Minimize(products.Scale(3).Add(dc.SumSquares(x)))
		set := ccp.DefaultSettings()
		set.Backend = heavy{work: work}
		res, err := global.Best(context.Background(), build(t, m), set)
		if err != nil {
			t.Fatal(err)
		}
		large := work > 0
		if res.Proved == large || (res.NoBound != "") != large || large && res.Nodes > 0 ||
			math.Abs(res.Objective+8.25) > 1e-6 {
			t.Errorf("work %g: objective %g, proved %v, %d nodes, no bound as %q",
				work, res.Objective, res.Proved, res.Nodes, res.NoBound)
		}
	}
}
