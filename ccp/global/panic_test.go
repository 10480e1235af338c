package global_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// failing panics in its n-th solver and in those after it.
type failing struct {
	ipm.Backend
	left *atomic.Int64
}

func (b failing) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	if b.left.Add(-1) < 0 {
		panic("no more solvers")
	}
	return b.Backend.New(ctx, p, set)
}

// TestPanicsOfBackends: a backend that panics, at any moment, ends the search and not the
// process, also where nodes are solved side by side.
func TestPanicsOfBackends(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{3}, dc.AtLeast(-1), dc.AtMost(2))
	m.Minimize(dc.Power(x.At(0), 4).Sub(dc.Square(x.At(0).Add(x.At(1)))).Add(dc.Mul(x.At(1), x.At(2))).Add(dc.Power(x.At(2), 4)))
	p := build(t, m)
	for n := int64(0); ; n += 1 + n/8 {
		left := new(atomic.Int64)
		left.Store(n)
		set := ccp.DefaultSettings()
		set.Backend = failing{left: left}
		_, err := global.Solve(t.Context(), p, []float64{0.3, 0.2, 0.1}, 1, set)
		if left.Load() >= 0 {
			if err != nil || n < 16 {
				t.Errorf("%d solvers: error %v", n, err)
			}
			return
		}
		var panicked *ccp.PanicError
		if err != nil && !errors.As(err, &panicked) || n == 0 && err == nil { // a descent that only improves the point may fail
			t.Fatalf("%d solvers: error %v", n, err)
		}
	}
}
