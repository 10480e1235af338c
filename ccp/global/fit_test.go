//go:build !race

package global_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/internal/shared"
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

func TestGlobalAtItsLimits(t *testing.T) {
	p := fit(t, 30, 31)
	set := ccp.DefaultSettings()
	set.Global.MaxNodes = 20
	res, err := global.Solve(context.Background(), p, nil, 1, set)
	if err != nil {
		t.Fatal(err)
	}
	if res.Status == ccp.Converged && !p.Feasible(res.X, 1e-6) {
		t.Errorf("converged at a point that is not feasible")
	}
	if res.Status != ccp.IterationLimit || res.Proved || res.Nodes > 20 || !(res.Gap > set.Global.GapTol) || !(res.Bound >= 0 && res.Bound < res.Objective) || !strings.Contains(res.Message, "gap") {
		t.Errorf("%v after %d nodes, bound %g, gap %g: %s", res.Status, res.Nodes, res.Bound, res.Gap, res.Message)
	}
	for calls := range shared.Times(12, 4) {
		ctx := shared.Countdown(50*calls, context.DeadlineExceeded)
		res, err := global.Solve(ctx, p, nil, 1, ccp.DefaultSettings())
		if !errors.Is(err, context.DeadlineExceeded) || res == nil || res.Status != ccp.TimeLimit || res.Bound > 0.0213007 {
			t.Fatalf("after %d looks at the context: error %v, result %+v", 50*calls, err, res)
		}
	}
}
