package global

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global/internal/boxed"
	"github.com/dcopt/dcopt/ccp/global/internal/flat"
	"github.com/dcopt/dcopt/ccp/global/internal/spatial"
	"github.com/dcopt/dcopt/dc"
)

// newSpatial is a search over the intervals of the arguments of all functions; no is why
// there is no other.
func newSpatial(p *dc.Problem, set ccp.Settings, unit float64, no error) (*searcher, error) {
	f, err := flat.New(p, unit)
	if err != nil {
		var why *flat.UnsupportedError
		if !errors.As(err, &why) {
			return nil, err
		}
		if no != nil {
			return nil, &unsupportedError{fmt.Sprintf("%s; %s", no, why.Why)}
		}
		return nil, &unsupportedError{why.Why}
	}
	return &searcher{p: p, unit: unit, set: set, lost: math.Inf(1), x: make([]float64, p.NumVars()), flat: f}, nil
}

// boundBySpace searches over intervals.
func (g *searcher) boundBySpace(ctx context.Context) error {
	r := g.res
	if r.Status == ccp.Unbounded {
		r.Bound = r.Objective
		return nil
	}
	g.upper = math.Inf(1)
	if r.Feasible {
		g.upper = g.minimised(r.Objective)
	}
	s, err := g.spatial(ctx)
	if err != nil {
		return err
	}
	if rec, ok := g.set.Recorder.(ccp.BoundRecorder); ok {
		s.Tell = func(lower float64, nodes, open int) error { return g.tellBounds(rec, lower, nodes, open) }
	}
	var free []int
	if s.Prepare() {
		if err = s.Confine(ctx); err == nil {
			free = s.Unbounded()
			err = s.Run(ctx)
		}
		if math.IsInf(s.Lower, -1) && err == nil && ctx.Err() == nil {
			r.NoBound = g.unboundedNames(free)
			return nil
		}
	}
	g.solved = s.Nodes
	g.concludeSpace(ctx, s, err)
	if len(free) > 0 && !r.Proved {
		r.NoBound = g.unboundedNames(free)
	}
	if errors.Is(err, ccp.ErrStop) {
		r.Status, err = ccp.Cancelled, nil
	}
	return err
}

// spatial is the search over intervals, within bounds that follow from the best point so far.
func (g *searcher) spatial(ctx context.Context) (*spatial.Search, error) {
	f, err := flat.Within(g.p, g.flat, g.upper, spatial.RootRounds)
	if err != nil {
		return nil, err
	}
	var s *spatial.Search
	s = &spatial.Search{
		P: f, Backend: backendOf(g.set), GapTol: g.set.Global.GapTol, MaxNodes: g.set.Global.MaxNodes,
		Upper: g.upper, Keep: g.set.Global.Proof,
		Try: func(ctx context.Context, x []float64, descend bool) float64 {
			g.solved = 3 // no power of 2: no descent
			if descend {
				g.solved = 64
			}
			s.Spend(g.tryPoint(ctx, x))
			return g.upper
		},
	}
	if q := boxed.Of(f); q != nil && ctx.Err() == nil {
		s.Upper = s.Try(ctx, q.Search(ctx, g.res.X, g.set.Seed), true)
	}
	return s, nil
}

// tellBounds reports the progress of a search over intervals.
func (g *searcher) tellBounds(rec ccp.BoundRecorder, lower float64, nodes, open int) error {
	b := ccp.Bounds{Objective: g.stated(g.upper), Bound: g.stated(lower), Nodes: nodes, Open: open, Gap: g.gap(lower), Safe: true}
	if !math.IsInf(g.upper, 1) {
		b.X = g.res.X
	}
	return rec.RecordBounds(b)
}

// unboundedNames says which variables keep a search from narrowing the gap.
func (g *searcher) unboundedNames(free []int) string {
	return g.names(free) + " have no bounds, and none follow from the constraints"
}

// names lists variables, at most five.
func (g *searcher) names(cols []int) string {
	var out []string
	for _, v := range g.p.Vars {
		has := 0
		for _, j := range cols {
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
	if len(out) > 5 {
		out = append(out[:5], fmt.Sprintf("%d more", len(out)-5))
	}
	return strings.Join(out, ", ")
}

// concludeSpace says what the search over intervals has found.
func (g *searcher) concludeSpace(ctx context.Context, s *spatial.Search, err error) {
	r := g.res
	r.Nodes, r.Safe = s.Nodes, true
	r.Iterations += s.Nodes
	g.say(ctx, s.Lower, s.Open, err, "no part of the bounds has one", fmt.Sprintf("%d nodes", s.Nodes))
	r.Proof = g.proof(s)
}

// proof is the tree of a search that has kept it; nil: there is none.
func (g *searcher) proof(s *spatial.Search) *Proof {
	if s.Tree == nil {
		return nil
	}
	return &Proof{
		p: s.P, tree: s.Tree, upper: g.upper * g.unit, lower: g.minimised(g.res.Bound) * g.unit,
		maximize: g.p.Maximize, vars: g.p.Vars,
	}
}
