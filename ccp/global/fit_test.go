//go:build !race

package global_test

import (
	"context"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
)

// TestGlobalFit: 60 maxima in 60 constraints. Many starts find nothing better
// than what is proved.
func TestGlobalFit(t *testing.T) {
	p := fit(t, 30, 31)
	res, err := global.Solve(context.Background(), p, nil, 2, ccp.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	if res.Status == ccp.Converged && !p.Feasible(res.X, 1e-6) {
		t.Errorf("converged at a point that is not feasible")
	}
	many, err := ccp.Multistart(context.Background(), p, 20, ccp.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	if !res.Proved || res.Objective > many.Objective+1e-6 || many.Objective < res.Bound-1e-6 {
		t.Errorf("%v, proved %v: %g with bound %g after %d nodes; the best of 20 starts is %g", res.Status, res.Proved, res.Objective, res.Bound, res.Nodes, many.Objective)
	}
}
