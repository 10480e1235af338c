package global

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/heuristic"
	"github.com/dcopt/dcopt/internal/num"
)

// tryPoint descends from the node's point if it looks better, or if told to, and takes the end or
// the point itself if one is better. It returns the work of the descent.
func (g *searcher) tryPoint(ctx context.Context, x []float64, descend bool) (work float64) {
	lo, hi := g.p.Box()
	for j := range g.x {
		g.x[j] = min(max(x[j], lo[j]), hi[j])
	}
	if !descend && !g.better(g.x, g.set.FeasTol, 0) {
		return 0
	}
	kept := 1e-3 * g.set.FeasTol // Source: as slip of package ccp
	set, r := g.set, g.res.Result
	set.Recorder, set.Heuristics.NewtonFirst, set.Heuristics.Search = nil, true, heuristic.Search{}
	// An error is no loss: the search goes on without the point.
	if res, err := ccp.Solve(ctx, g.of, g.x, set); err == nil {
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
			g.take(res.X, res)
		}
	}
	gained := 0.0 // a relaxation breaks constraints as far as it may, and gains about as much by it
	if r.Feasible {
		gained = kept * max(1, math.Abs(g.upper)) * g.unit
	}
	if g.better(g.x, kept, gained) {
		g.take(g.x, &ccp.Result{Status: ccp.Converged})
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

// take makes x the best point, with the status and the multipliers of a result.
func (g *searcher) take(x []float64, as *ccp.Result) {
	r := g.res.Result
	copy(r.X, x)
	r.Objective, r.ObjectiveError = g.p.Evaluate(x)
	r.Feasible, r.Status, r.Message, r.NoMultipliers, r.Loose = true, as.Status, as.Message, as.NoMultipliers, as.Loose
	r.Duals, r.BoundDuals, r.History = as.Duals, as.BoundDuals, as.History
	r.Violation, r.Worst = g.p.Violation(x)
	if as.Status == ccp.Unbounded {
		r.Objective = as.Objective
		r.Restore(as.Standing())
	}
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
