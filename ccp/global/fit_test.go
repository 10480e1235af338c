//go:build !race

package global_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/dc"
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

// TestBoundWithoutBounds: where variables have no bounds, intervals may bound the cost all the
// same.
func TestBoundWithoutBounds(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{3}, dc.StartAt(1, 1, 1))
	u, v := dc.Mul(x.At(0), x.At(1)), dc.Mul(dc.Square(x.At(0)), dc.Square(x.At(1)))
	m.Minimize(dc.Abs(u.Add(dc.Num(-1))).Add(dc.Abs(v.Add(dc.Num(-4)))))
	set := ccp.DefaultSettings()
	set.Global.Proof = true // the search over intervals
	res, err := global.Solve(context.Background(), build(t, m), nil, 1, set)
	if err != nil {
		t.Fatal(err)
	}
	if !(res.Bound >= 0 && res.Gap < 1.1 && res.Safe) || res.Proved ||
		!strings.Contains(res.NoBound, "x have no bounds") {
		t.Errorf("bound %g, gap %g, safe: %v, proved: %v, %s", res.Bound, res.Gap, res.Safe, res.Proved, res.NoBound)
	}
	m = dc.NewModel() // a constant cost: any point proves it
	x = m.Var("x", []int{3}, dc.StartAt(1, 2, 3))
	m.Minimize(dc.Num(2))
	m.SubjectTo(dc.EQ(dc.Norm2(x), dc.Num(1)))
	res, err = global.Solve(context.Background(), build(t, m), nil, 1, ccp.DefaultSettings())
	if err != nil || !res.Feasible || !res.Proved || res.Bound != 2 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestGlobalAgreesWithAllChoices(t *testing.T) {
	for seed := range uint64(30) {
		c := drawChoices(t, seed)
		best := math.Inf(1)
		for _, p := range c.pieces {
			if res := solve(t, p, nil, nil); res.Status == ccp.Converged {
				best = min(best, res.Objective)
			}
		}
		res, err := global.Solve(context.Background(), c.whole, nil, 1, ccp.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		if res.Status == ccp.Converged && !c.whole.Feasible(res.X, 1e-6) {
			t.Errorf("converged at a point that is not feasible")
		}
		tol := 2e-6 * max(1, math.Abs(best))
		if !res.Proved || res.Status != ccp.Converged || math.Abs(res.Objective-best) > tol || math.Abs(res.Bound-best) > tol {
			t.Errorf("seed %d: %v, proved %v, %.9g with bound %.9g; the best of all choices is %.9g", seed, res.Status, res.Proved, res.Objective, res.Bound, best)
		}
	}
}
