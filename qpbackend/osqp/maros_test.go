//go:build osqp

package osqp

import (
	"context"
	"math"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/formats"
)

// TestMarosMeszaros: on each of these OSQP, with its own defaults, is wrong
// about feasibility or about its accuracy. None may be called infeasible, and
// what is called solved has the known optimal value (reference.csv beside the
// problems).
func TestMarosMeszaros(t *testing.T) {
	for _, c := range []struct {
		name   string
		solved bool // within the iterations given here
		want   float64
	}{
		{"HUES-MOD", true, 34824463.9},
		{"PRIMALC1", false, -6155.25083},
		{"PRIMALC5", false, -427.232327},
		{"QAFIRO", true, -1.59078179},
		{"QPCSTAIR", true, 6204387.48},
		{"DUALC1", true, 6155.25083},
		{"QSC205", true, -0.00581395349},
	} {
		if c.name == "HUES-MOD" && !shared.Whole(t) {
			continue // not in the part of the data that the repository has
		}
		file, err := formats.ReadFile(shared.Path(t, "data", "maros_meszaros", c.name+".SIF.gz"))
		if err != nil {
			t.Error(err)
			continue
		}
		set := Backend{}.DefaultSettings()
		set.MaxIter = 5000
		var res qpbackend.Result
		if err := mustNew(t, Backend{}, file.Problem, set).Solve(context.Background(), &res); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		switch {
		case c.solved && res.Status != qpbackend.Solved, !c.solved && res.Status != qpbackend.IterationLimit && res.Status != qpbackend.Solved:
			t.Errorf("%s: %v after %d iterations: %s", c.name, res.Status, res.Iterations, res.Message)
		case res.Status == qpbackend.Solved && math.Abs(res.Objective-c.want) > 1e-4*math.Max(1, math.Abs(c.want)):
			t.Errorf("%s: objective %.9g, want %.9g", c.name, res.Objective, c.want)
		}
	}
}
