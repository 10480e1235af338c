package global

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strings"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global/internal/boxqp"
	"github.com/dcopt/dcopt/ccp/global/internal/factorable"
	"github.com/dcopt/dcopt/ccp/global/internal/spatial"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// Result is a ccp.Result with a proof: no feasible point is better than
// Bound.
type Result struct {
	*ccp.Result
	// Bound is a lower bound of the objective (an upper bound of a maximised
	// one), ∓Inf if none was found.
	Bound float64
	// Gap is |Objective − Bound| / max(u, |Objective|), where u is 1 unless all terms of the
	// objective are small; +Inf if there is no bound or no feasible point. Proved: it is at most
	// Settings.Global.GapTol, or the problem is proved infeasible.
	Gap    float64
	Proved bool
	// Nodes is the number of nodes solved. They count as Iterations as well.
	Nodes int
	// Safe: Bound holds against rounding errors too, as it comes from multipliers by
	// interval arithmetic. Otherwise it is the value of a solver to its tolerance.
	Safe bool
	// NoBound says why there is no bound, or no better one, as words that follow "no bound, as".
	NoBound string
	// Proof is the tree of a safe bound, for Solve with Settings.Global.Proof; nil: none.
	Proof *Proof
}

// unproved makes a result without a bound of one of ccp.
func unproved(p *program.Problem, res *ccp.Result) *Result {
	if res == nil {
		return nil
	}
	out := &Result{Result: res, Bound: math.Inf(-1), Gap: math.Inf(1)}
	if p.Maximize {
		out.Bound = math.Inf(1)
	}
	return out
}

// panicked makes an error of a panic. It is for deferred calls.
func panicked(err *error) {
	if v := recover(); v != nil {
		*err = &ccp.PanicError{Where: "a function that global.Solve called", Value: v, Stack: debug.Stack()}
	}
}

// searcher is a search under way.
type searcher struct {
	of    *dc.Problem
	p     *program.Problem
	set   ccp.Settings
	flat  *factorable.Problem
	unit  float64 // of the objective, a power of 2: bounds and upper are multiples of it
	res   *Result
	upper float64 // the best objective, minimised, in units
	each  float64 // the work that one convex problem may take; 0: no limit
	x     []float64
}

// newSearcher states the problem by columns, to bound and improve a result in units of its
// objective. An error says why it cannot.
func newSearcher(of *dc.Problem, set ccp.Settings, r *Result) (*searcher, error) {
	p := of.Program()
	unit := p.ObjectiveUnit(r.X)
	f, err := factorable.New(p, unit)
	if err != nil {
		return nil, err
	}
	g := &searcher{of: of, p: p, set: set, flat: f, unit: unit, res: r, upper: math.Inf(1),
		x: make([]float64, p.NumVars())}
	if r.Feasible {
		g.upper = g.minimised(r.Objective)
	}
	return g, nil
}

// search begins the branch and bound, within bounds that follow from the best point so far. free
// are the variables that have none. Nothing is open where intervals alone show that nothing is
// better.
func (g *searcher) search(ctx context.Context) (s *spatial.Search, free []int, err error) {
	f, err := factorable.Within(g.p, g.flat, g.upper, spatial.RootRounds)
	if err != nil {
		return nil, nil, err
	}
	s = &spatial.Search{
		P: f, Backend: g.set.Backend, GapTol: g.set.Global.GapTol, MaxNodes: g.set.Global.MaxNodes,
		Upper: g.upper, Keep: g.set.Global.Proof, Most: spatial.Limits{Solve: g.each},
		Least: max(g.p.Objective.Over().Lo/g.unit, g.minimised(g.res.Bound)),
	}
	if s.Backend == nil {
		s.Backend = ipm.Backend{}
	}
	s.Try = func(ctx context.Context, x []float64, descend bool) float64 {
		s.Spend(g.tryPoint(ctx, x, descend))
		return g.upper
	}
	if q := boxqp.Of(g.p); q != nil && ctx.Err() == nil {
		s.Upper = s.Try(ctx, q.Search(ctx, g.res.X, g.set.Seed), true)
	}
	s.Prepare()
	err = s.Confine(ctx)
	if s.Open > 0 {
		free = s.Unbounded()
	}
	return s, free, err
}

// prove bounds the objective of a result, and improves its point.
func prove(ctx context.Context, p *dc.Problem, set ccp.Settings, r *Result) error {
	if r.Status == ccp.Unbounded || r.Status == ccp.Infeasible && !set.Global.Proof {
		r.Bound, r.Proved = r.Objective, r.Status == ccp.Infeasible
		return nil
	}
	g, err := newSearcher(p, set, r)
	if err != nil {
		r.NoBound = err.Error()
		return nil
	}
	s, free, err := g.search(ctx)
	if s == nil {
		return err
	}
	if rec, ok := g.set.Recorder.(ccp.BoundRecorder); ok {
		s.Tell = func(lower float64, nodes, open int) error { return g.tellBounds(rec, lower, nodes, open, !s.Trusted) }
	}
	if err == nil && s.Open > 0 {
		err = s.Run(ctx)
	}
	if math.IsInf(s.Lower, -1) && err == nil && ctx.Err() == nil {
		r.NoBound = g.noBound(free)
		return nil
	}
	g.conclude(ctx, s, err)
	if !r.Proved && (len(free) > 0 || math.IsInf(s.Lower, -1)) {
		r.NoBound = g.noBound(free)
	}
	if errors.Is(err, ccp.ErrStop) {
		r.Status, err = ccp.Cancelled, nil
	}
	return err
}

// tellBounds reports the progress.
func (g *searcher) tellBounds(rec ccp.BoundRecorder, lower float64, nodes, open int, safe bool) error {
	b := ccp.Bounds{Objective: g.stated(g.upper), Bound: g.stated(lower), Nodes: nodes, Open: open, Gap: g.gap(lower),
		Safe: safe}
	if !math.IsInf(g.upper, 1) {
		b.X = g.res.X
	}
	return rec.RecordBounds(b)
}

// noBound says why a search has no bound: by the names of free, variables without bounds, at most
// five; where there are none, functions have none.
func (g *searcher) noBound(free []int) string {
	var out []string
	for _, v := range g.p.Vars {
		has := 0
		for _, j := range free {
			if j >= v.Offset && j < v.Offset+v.Len() {
				has++
			}
		}
		switch {
		case has == 0:
		case has == v.Len():
			out = append(out, v.Name)
		default:
			out = append(out, fmt.Sprintf("%d entries of %s", has, v.Name))
		}
	}
	switch {
	case len(out) == 0:
		return "the objective has none on some boxes of the search"
	case len(out) > 5:
		out = append(out[:5], fmt.Sprintf("%d more", len(out)-5))
	}
	return strings.Join(out, ", ") + " have no bounds, and none follow from the constraints"
}

// slack is the part of the tolerance by which a bound that proves the point may be better than
// stated: who checks the proof rounds in other ways. Source: replays of the 200 proofs of
// TestVerifyRightAnswers differ by up to 3e-8.
const slack = 0.1

// states states the bound of a search, its gap, whether they prove the point, and the proof.
func (g *searcher) states(s *spatial.Search) {
	r, lower := g.res, s.Lower
	if r.Feasible {
		g.upper = g.minimised(r.Objective)
		tol := g.set.Global.GapTol * max(1, math.Abs(g.upper))
		if lower < g.upper { // a bound that is exact needs no rounding
			lower = min(lower, g.upper-slack*tol)
		}
		r.Gap = g.gap(lower)
		r.Proved = r.Gap <= 1.01*g.set.Global.GapTol
	}
	r.Nodes, r.Safe, r.Bound, r.Proof = s.Nodes, !s.Trusted, g.stated(lower), nil
	if s.Tree != nil {
		r.Proof = &Proof{
			p: s.P, tree: s.Tree, upper: g.upper * g.unit, lower: g.minimised(r.Bound) * g.unit,
			maximize: g.p.Maximize, vars: g.p.Vars,
		}
	}
}

// end is the end at a point that is proved: multipliers of a run that had not converged hold
// nothing.
func (r *Result) end() {
	if r.Status != ccp.Converged {
		r.Status, r.Message, r.Duals, r.BoundDuals = ccp.Converged, "", nil, nil
	}
}

// infeasible reports whether a search has shown that no point is feasible, and makes the result say
// so.
func (r *Result) infeasible(s *spatial.Search) bool {
	if r.Feasible || !math.IsInf(s.Lower, 1) {
		return false
	}
	r.Status, r.Message, r.Proved, r.Objective = ccp.Infeasible,
		"no point meets the constraints: no part of the bounds has one", true, r.Bound
	return true
}

// conclude says what a search that has ended has found.
func (g *searcher) conclude(ctx context.Context, s *spatial.Search, err error) {
	r := g.res
	r.Iterations += s.Nodes
	g.states(s)
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		r.Status = ccp.TimeLimit
	case ctx.Err() != nil:
		r.Status = ccp.Cancelled
	case err == nil && r.infeasible(s):
		return
	case !r.Feasible && r.Status == ccp.Infeasible: // the bounds of the search are weaker
		r.Status = ccp.Stalled
	case s.Open > 0 && !(r.Gap <= g.set.Global.GapTol):
		r.Status = ccp.IterationLimit
	}
	if r.Proved && ctx.Err() == nil {
		r.end()
	} else if !r.Proved {
		r.Message = fmt.Sprintf("%d nodes leave a gap of %.2g; %d are open", s.Nodes, r.Gap, s.Open)
	}
}
