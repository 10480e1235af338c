//go:build !race

package ccp_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// TestCappedOutliers: min |a − 5| where squares of the residuals of a line, each at most 1,
// add up to 4 or less. A residual that is capped everywhere nearby counts 1.
func TestCappedOutliers(t *testing.T) {
	u := []float64{-0.32, -1.123, -0.655, 3.202, 3.7, 3.539, 0.29, 2.937, -1.664, 1, -2.138, 0.982}
	v := []float64{0, -0.4403, -0.5845, -0.3651, -0.4502, -0.2701, -0.4282, -0.5016, -0.4371, -0.5795, -0.5, -0.5719}
	for _, far := range []float64{50, 6.615e4, 6.615e10} {
		t.Run(fmt.Sprint(far), func(t *testing.T) {
			m := dc.NewModel()
			x := m.Var("x", []int{2})
			v[0] = far
			var capped []dc.Expr
			for k := range u {
				capped = append(capped, dc.Min(dc.Square(dc.Num(v[k]).Sub(x.Dot([]float64{u[k], 1}))), dc.Num(1)))
			}
			m.Minimize(dc.Abs(x.At(0).Sub(dc.Num(5))))
			m.SubjectTo(dc.LE(dc.Sum(capped...), dc.Num(4)))
			p, err := m.Problem(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
			if err != nil || res.Status != ccp.Converged || !res.Feasible || math.Abs(res.Objective-4.7326) > 1e-3 {
				t.Errorf("%v, objective %g, want 4.7326, violation %g, %q, %v", res.Status, res.Objective, res.Violation, res.Message, err)
			}
		})
	}
}
