package global

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/num"
)

// tryPoint takes the node's point if it is feasible and better, and now and
// then descends from it.
func (g *searcher) tryPoint(ctx context.Context, x []float64) {
	copy(g.x, x[:len(g.x)])
	for _, v := range g.p.Vars {
		for i := range v.Len() {
			lo, hi := v.Bounds(i)
			g.x[v.Offset+i] = min(max(g.x[v.Offset+i], lo), hi)
		}
	}
	if g.takes(g.x) {
		r := g.res.Result
		r.Duals, r.BoundDuals, r.History = nil, nil, nil
	}
	if g.solved&(g.solved-1) != 0 && g.solved%64 != 0 {
		return
	}
	set := g.set
	set.Recorder = nil
	// An error is no loss: the search goes on without the point.
	if res, err := ccp.Solve(ctx, g.p, g.x, set); err == nil {
		r := g.res.Result
		r.Iterations += res.Iterations
		if g.takes(res.X) {
			r.Duals, r.BoundDuals, r.History = res.Duals, res.BoundDuals, res.History
		}
	}
}

// takes makes x the best point if it is better and feasible.
func (g *searcher) takes(x []float64) bool {
	r, at := g.res.Result, ccp.Result{Feasible: true, Start: g.res.Start}
	at.Objective, at.ObjectiveError = g.p.Evaluate(x)
	if !num.Finite(at.Objective) || !at.Better(r, g.p.Maximize) || !g.p.Feasible(x, g.set.FeasTol) {
		return false
	}
	copy(r.X, x)
	r.Objective, r.ObjectiveError, r.Feasible, r.Status, r.Message = at.Objective, at.ObjectiveError, true, ccp.Converged, ""
	r.Violation, r.Worst = g.p.Violation(x)
	g.upper = g.minimised(r.Objective)
	return true
}

// minimised is a value of the objective as the search counts: minimised, in units.
func (g *searcher) minimised(v float64) float64 {
	if g.p.Maximize {
		v = -v
	}
	return v / g.unit
}

// stated is a value of the search as the problem states it.
func (g *searcher) stated(v float64) float64 {
	if g.p.Maximize {
		v = -v
	}
	return v * g.unit
}

// gap is that between the best value and a lower bound, relative to max(1, |value|), both in units; infinite without a point.
func (g *searcher) gap(lower float64) float64 {
	if math.IsInf(g.upper, 1) {
		return g.upper
	}
	return max(0, g.upper-lower) / max(1, math.Abs(g.upper))
}

// conclude says what the search has found.
func (g *searcher) conclude(ctx context.Context, err error) {
	r := g.res
	r.Nodes = g.solved
	r.Iterations += g.solved + g.aside
	if r.Status == ccp.Infeasible || r.Status == ccp.Unbounded {
		r.Proved, r.Bound = r.Status == ccp.Infeasible, r.Objective
		return
	}
	lower := min(g.lost, g.upper)
	if !g.begun {
		lower = min(lower, g.p.Objective.Range().Lo)
	}
	for _, nd := range g.open {
		lower = min(lower, nd.bound)
	}
	r.Bound = g.stated(lower)
	if r.Feasible {
		r.Gap = g.gap(lower)
	}
	switch {
	case ctx.Err() != nil:
		r.Status = ccp.Cancelled
		if ctx.Err() == context.DeadlineExceeded {
			r.Status = ccp.TimeLimit
		}
	case !r.Feasible && math.IsInf(lower, 1) && err == nil:
		r.Status, r.Message, r.Proved = ccp.Infeasible, "no point meets the constraints: every choice of pieces is infeasible", true
		r.Objective = g.stated(math.Inf(1))
		r.Bound = r.Objective
		return
	case len(g.open) > 0 && !(r.Gap <= g.set.Global.GapTol):
		r.Status = ccp.IterationLimit
	}
	r.Proved = r.Gap <= 1.01*g.set.Global.GapTol
	if !r.Proved {
		of := "maxima"
		if g.choices != nil {
			of = "minima"
		}
		r.Message = fmt.Sprintf("%d nodes of %d %s leave a gap of %.2g; %d are open", g.solved, g.width(), of, r.Gap, len(g.open))
	}
}
