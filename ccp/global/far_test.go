//go:build !race

package global_test

import (
	"context"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/dc"
)

// TestFarBounds: where a variable may be large, its rounding errors are larger than the kinks of
// the objective. No bound is above the optimum, 0.5 at 3.5, from a start that is far from it.
func TestFarBounds(t *testing.T) {
	for _, far := range []float64{1e3, 1e6, 1e9, 1e12, 1e15} {
		m := dc.NewModel()
		x := m.Var("x", nil, dc.AtLeast(-10), dc.AtMost(far))
		near := func(v float64) dc.Expr { return dc.Min(dc.Square(x.Sub(dc.Num(v))), dc.Num(1)) }
		m.Minimize(near(3).Add(near(4)))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, proof := range []bool{false, true} {
			set := ccp.DefaultSettings()
			set.Global.Proof, set.Global.MaxNodes = proof, 200
			res, err := global.Solve(context.Background(), p, []float64{far / 2}, 1, set)
			if err != nil {
				t.Fatal(err)
			}
			if res.Bound > 0.5+1e-6 {
				t.Errorf("x up to %g, proof %v: no value below %g, and 0.5 is one", far, proof, res.Bound)
			}
		}
	}
}
