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
	lo, hi := g.p.Box()
	for j := range g.x {
		g.x[j] = min(max(x[j], lo[j]), hi[j])
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
	r.Objective, r.ObjectiveError = at.Objective, at.ObjectiveError
	r.Feasible, r.Status, r.Message = true, ccp.Converged, ""
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

// conclude says what the search over pieces or choices has found.
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
	of := "maxima"
	if g.choices != nil {
		of = "minima"
	}
	nodes := fmt.Sprintf("%d nodes of %d %s", g.solved, g.width(), of)
	g.say(ctx, lower, len(g.open), err, "every choice of pieces is infeasible", nodes)
}

// say states the bound, in units, of a search that has left nodes open; none is why there is no
// feasible point if the bound is infinite.
func (g *searcher) say(ctx context.Context, lower float64, open int, err error, none, nodes string) {
	r := g.res
	r.Bound = g.stated(lower)
	if r.Feasible {
		r.Gap = g.gap(lower)
	}
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		r.Status = ccp.TimeLimit
	case ctx.Err() != nil:
		r.Status = ccp.Cancelled
	case !r.Feasible && math.IsInf(lower, 1) && err == nil:
		r.Status, r.Message, r.Proved = ccp.Infeasible, "no point meets the constraints: "+none, true
		r.Objective = r.Bound
		return
	case !r.Feasible && r.Status == ccp.Infeasible: // the bounds of the search are weaker
		r.Status = ccp.Stalled
	case open > 0 && !(r.Gap <= g.set.Global.GapTol):
		r.Status = ccp.IterationLimit
	}
	if r.Proved = r.Gap <= 1.01*g.set.Global.GapTol; !r.Proved {
		r.Message = fmt.Sprintf("%s leave a gap of %.2g; %d are open", nodes, r.Gap, open)
	}
}
