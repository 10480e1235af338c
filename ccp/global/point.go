package global

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/num"
)

// tryPoint descends from the node's point if it looks better, and now and then else, and takes the
// end or the point itself if one is better. It returns the work of the descent.
func (g *searcher) tryPoint(ctx context.Context, x []float64) (work float64) {
	lo, hi := g.p.Box()
	for j := range g.x {
		g.x[j] = min(max(x[j], lo[j]), hi[j])
	}
	if g.solved&(g.solved-1) != 0 && g.solved%64 != 0 && !g.better(g.x, g.set.FeasTol, 0) {
		return 0
	}
	kept := 1e-3 * g.set.FeasTol // Source: as slip of package ccp
	set, r := g.set, g.res.Result
	set.Recorder, set.NewtonFirst, set.Search = nil, true, ccp.Search{}
	// An error is no loss: the search goes on without the point.
	if res, err := ccp.Solve(ctx, g.p, g.x, set); err == nil {
		r.Iterations += res.Iterations
		work = res.Work()
		tol, gained := g.set.FeasTol, 0.0 // gained at most by broken constraints
		if res.Duals == nil {
			tol = kept
		}
		for _, rows := range res.Duals {
			for _, y := range rows {
				gained += math.Abs(y) * res.Violation
			}
		}
		if g.better(res.X, tol, gained) {
			g.take(res.X)
			r.Status, r.Message, r.NoMultipliers, r.Loose = res.Status, res.Message, res.NoMultipliers, res.Loose
			r.Duals, r.BoundDuals, r.History = res.Duals, res.BoundDuals, res.History
		}
	}
	gained := 0.0 // a relaxation breaks constraints as far as it may, and gains about as much by it
	if r.Feasible {
		gained = kept * max(1, math.Abs(g.upper)) * g.unit
	}
	if g.better(g.x, kept, gained) {
		g.take(g.x)
	}
	return work
}

// better reports whether x is feasible, and better than the best point by more than gained.
func (g *searcher) better(x []float64, tol, gained float64) bool {
	at := ccp.Result{Feasible: true, Start: g.res.Start}
	at.Objective, at.ObjectiveError = g.p.Evaluate(x)
	at.ObjectiveError += gained
	if !num.Finite(at.Objective) || !at.Better(g.res.Result, g.p.Maximize) {
		return false
	}
	v := g.p.Violations(x)
	return max(v.Excess, v.Relative) <= tol // rounding errors hide a gain, too
}

// take makes x the best point.
func (g *searcher) take(x []float64) {
	r := g.res.Result
	copy(r.X, x)
	r.Objective, r.ObjectiveError = g.p.Evaluate(x)
	r.Feasible, r.Status, r.Message, r.NoMultipliers, r.Loose = true, ccp.Converged, "", nil, nil
	r.Duals, r.BoundDuals, r.History = nil, nil, nil
	r.Violation, r.Worst = g.p.Violation(x)
	g.upper = g.minimised(r.Objective)
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

// gap is that between the best value and a lower bound, relative to max(1, |value|), both in units;
// infinite without a point.
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

// slack is the part of the tolerance by which a bound that proves the point may be better than
// stated: who checks the proof rounds in other ways. Source: replays of the 200 proofs of
// TestVerifyRightAnswers differ by up to 3e-8.
const slack = 0.1

// states states the bound, in units, its gap, and whether they prove the point.
func (g *searcher) states(lower float64) {
	r := g.res
	if r.Feasible {
		g.upper = g.minimised(r.Objective)
		tol := g.set.Global.GapTol * max(1, math.Abs(g.upper))
		if lower < g.upper { // a bound that is exact needs no rounding
			lower = min(lower, g.upper-slack*tol)
		}
		r.Gap = g.gap(lower)
		r.Proved = r.Gap <= 1.01*g.set.Global.GapTol
	}
	r.Bound = g.stated(lower)
}

// end is the end at a point that is proved: multipliers of a run that had not converged hold nothing.
func (r *Result) end() {
	if r.Status != ccp.Converged {
		r.Status, r.Message, r.Duals, r.BoundDuals = ccp.Converged, "", nil, nil
	}
}

// say states the bound, in units, of a search that has left nodes open; none is why there is no
// feasible point if the bound is infinite.
func (g *searcher) say(ctx context.Context, lower float64, open int, err error, none, nodes string) {
	r := g.res
	g.states(lower)
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
	if r.Proved && ctx.Err() == nil {
		r.end()
	} else if !r.Proved {
		r.Message = fmt.Sprintf("%s leave a gap of %.2g; %d are open", nodes, r.Gap, open)
	}
}
