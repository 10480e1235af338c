package dc_test

import (
	"context"
	"errors"
	"testing"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/shared"
)

// TestProblemEnds: making a problem of 20,000 constraints, with definitions, ends at any
// look at the context; there are some for each pass over the constraints.
func TestProblemEnds(t *testing.T) {
	m := dc.NewModel()
	n := 5000
	x, y := m.Var("x", []int{n}), m.Var("y", []int{n})
	for k := range n {
		m.SubjectTo(
			dc.LE(dc.Abs(x.At(k)), dc.Num(1)),
			dc.GE(dc.Square(x.At(k)), dc.Num(.5)),
			dc.EQ(y.At(k), dc.Square(x.At(k))),
		)
	}
	m.Minimize(dc.Sum(y))
	looks, step := 0, 13
	if shared.Race {
		step = 1301
	}
	for ; ; looks += step {
		p, err := m.Problem(shared.Countdown(looks, context.Canceled))
		if err == nil {
			if len(p.Program().Constraints) != 4*n {
				t.Errorf("%d constraints", len(p.Program().Constraints))
			}
			break
		}
		if !errors.Is(err, context.Canceled) || p != nil {
			t.Fatalf("after %d looks: %v, %v", looks, p, err)
		}
	}
	if looks < 5*4*n/1000 {
		t.Errorf("%d looks at the context", looks)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if p, err := m.Problem(ctx); !errors.Is(err, context.Canceled) || p != nil {
		t.Errorf("after the end: %v, %v", p, err)
	}
}
