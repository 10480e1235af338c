package admm_test

import (
	"math"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/admm"
	"github.com/dcopt/dcopt/qpbackend/formats"
)

// TestMarosMeszaros: on each of these OSQP, with its own defaults, is wrong
// about feasibility or about its accuracy, or does not end. All but the last are
// solved here, with the known optimal value (reference.csv beside the problems);
// on the last the iterations run out, and the status says so.
func TestMarosMeszaros(t *testing.T) {
	type known struct {
		name string
		want float64
	}
	for _, c := range shared.Sample(t, 3, []known{
		{"HUES-MOD", 34824463.9},
		{"PRIMALC1", -6155.25083},
		{"PRIMALC5", -427.232327},
		{"QAFIRO", -1.59078179},
		{"QPCSTAIR", 6204387.48},
		{"DUALC1", 6155.25083},
		{"QSC205", -0.00581395349},
		{"HS21", -99.96},
		{"QSHARE2B", 11703.6917},
	}) {
		if c.name == "HUES-MOD" && !shared.Whole(t) {
			continue // not in the part of the data that the repository has
		}
		file, err := formats.ReadFile(shared.Path(t, "data", "maros_meszaros", c.name+".SIF.gz"))
		if err != nil {
			t.Error(err)
			continue
		}
		p := file.Problem
		res := solve(t, newSolver(t, admm.Backend{}, p, nil))
		if c.name == "QSHARE2B" {
			if res.Status != qpbackend.IterationLimit || res.Message == "" {
				t.Errorf("%s: %v (%s), known to reach the limit", c.name, res.Status, res.Message)
			}
			continue
		}
		if worst := qpbackend.Certify(p, res.X, res.Y, res.Z).Max(); res.Status != qpbackend.Solved || !(worst <= 1e-6) {
			t.Errorf("%s: %v (%s), residual %.1e", c.name, res.Status, res.Message, worst)
		}
		if !(math.Abs(res.Objective-c.want) <= 1e-4*max(1, math.Abs(c.want))) {
			t.Errorf("%s: objective %.9g, want %.9g", c.name, res.Objective, c.want)
		}
	}
}
