package solve

import (
	"context"
	"math"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// TestBoundOfWhatWasGivenUp: a proof that does not come back has the best point and the bound that
// it told last.
func TestBoundOfWhatWasGivenUp(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{1}, dc.AtLeast(-1), dc.AtMost(2), dc.StartAt(1))
	m.Maximize(dc.Square(x.At(0)))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var l latest
	l.begin(p.Program(), nil)
	set := ccp.DefaultSettings()
	if out := l.proof(l.giveUp(context.Canceled, nil, set)); out.Objective != 1 || !math.IsInf(out.Bound, 1) || !math.IsInf(out.Gap, 1) {
		t.Errorf("before any report: %g, bound %g, gap %g", out.Objective, out.Bound, out.Gap)
	}
	l = latest{}
	l.begin(p.Program(), nil)
	for _, b := range []ccp.Bounds{
		{Objective: math.Inf(-1), Bound: 9, Gap: math.Inf(1), Safe: true},
		{Objective: 4, Bound: 5, Gap: 0.25, Nodes: 3, X: []float64{2}, Safe: true},
	} {
		if err := l.RecordBounds(b); err != nil {
			t.Fatal(err)
		}
	}
	out := l.proof(l.giveUp(context.DeadlineExceeded, nil, set))
	if out.Objective != 4 || out.Bound != 5 || out.Gap != 0.25 || out.Nodes != 3 || !out.Safe || out.Proved || out.Status != ccp.TimeLimit {
		t.Errorf("%+v of %+v", out, out.Result)
	}
}
