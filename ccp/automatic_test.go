//go:build !race

package ccp_test

import (
	"context"
	"reflect"
	"runtime"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// TestAutomaticStarts: their number follows from the work of the first, whatever the
// number of processors; the result is the best of them, and the first where that is as
// good.
func TestAutomaticStarts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	p := packing(t, radii(6, 1))
	var last *ccp.Result
	for _, procs := range []int{1, 3} {
		runtime.GOMAXPROCS(procs)
		res, err := ccp.Multistart(context.Background(), p, ccp.Automatic, ccp.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		one := solve(t, p, nil, nil)
		if res.Starts < 2 || !(res.Objective <= one.Objective) {
			t.Errorf("%d starts, objective %g, of the first %g", res.Starts, res.Objective, one.Objective)
		}
		if last != nil && (!reflect.DeepEqual(res.X, last.X) || res.Starts != last.Starts || res.Iterations != last.Iterations) {
			t.Errorf("%d processors: %d starts, objective %g; before %d, %g", procs, res.Starts, res.Objective, last.Starts, last.Objective)
		}
		last = res
	}

	starts, err := ccp.NewStarts(p, ccp.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	starts.Run(ctx, 1)
	first := starts.Work()
	for most := 2 * first; starts.Work() < most && !starts.Exhausted(); {
		starts.Spend(ctx, most)
	}
	if res, err := starts.Result(); err != nil || res.Starts < 2 || !(starts.Work() < 5*first) {
		t.Errorf("%d starts with the work %g of a first with %g, %v", res.Starts, starts.Work(), first, err)
	}

	m := dc.NewModel()
	x := m.Var("x", []int{3})
	m.Minimize(dc.SumSquares(x.Sub(dc.Vec([]float64{1, 2, 3}))))
	res, err := ccp.Multistart(context.Background(), build(t, m), ccp.Automatic, ccp.DefaultSettings())
	if err != nil || res.Starts != 1 {
		t.Errorf("%d starts of a convex problem, %v", res.Starts, err)
	}

	m = dc.NewModel()
	x = m.Var("x", []int{1}, dc.AtLeast(-1), dc.AtMost(1), dc.StartAt(.5))
	m.Minimize(dc.Square(x).Neg()) // two minima of the same value
	for range 3 {
		if res, err = ccp.Multistart(context.Background(), build(t, m), ccp.Automatic, ccp.DefaultSettings()); err != nil || res.Start != 0 || res.X[0] != 1 {
			t.Errorf("start %d leads to %v, %v; the first is as good as any", res.Start, res.X, err)
		}
	}
}
