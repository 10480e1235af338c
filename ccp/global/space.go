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
			return nil, &UnsupportedError{fmt.Sprintf("%s; %s", strings.TrimPrefix(no.Error(), "ccp: no global search: "), why.Why)}
		}
		return nil, &UnsupportedError{why.Why}
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
	f, err := flat.Within(g.p, g.flat, g.upper, spatial.RootRounds)
	if err != nil {
		return err
	}
	s := &spatial.Search{
		P: f, Backend: backendOf(g.set), GapTol: g.set.Global.GapTol, MaxNodes: g.set.Global.MaxNodes,
		Upper: g.upper, Keep: g.set.Global.Proof,
		Try: func(ctx context.Context, x []float64, descend bool) float64 {
			g.solved = 3 // no power of 2: no descent
			if descend {
				g.solved = 64
			}
			g.tryPoint(ctx, x)
			return g.upper
		},
	}
	if rec, ok := g.set.Recorder.(ccp.BoundRecorder); ok {
		s.Tell = func(lower float64, nodes, open int) error { return g.tellBounds(rec, lower, nodes, open) }
	}
	if q := boxed.Of(f); q != nil && ctx.Err() == nil {
		s.Upper = s.Try(ctx, q.Search(ctx, r.X, g.set.Seed), true)
	}
	var free []int
	if s.Prepare() {
		if free = s.Unbounded(); len(free) == 0 {
			err = s.Run(ctx)
		} else if r.Status == ccp.Infeasible {
			r.Proved, r.Bound = true, r.Objective
			return nil
		} else if math.IsInf(s.Lower, -1) && ctx.Err() == nil {
			return &UnsupportedError{fmt.Sprintf("give bounds to %s: a proof needs them, and none follow from the constraints", g.names(free))}
		}
	}
	g.solved = s.Nodes
	local := r.Status
	g.concludeSpace(ctx, s, err)
	if len(free) > 0 && !r.Proved && ctx.Err() == nil {
		r.Status = local // there is no search that a limit would have ended
		r.Message = fmt.Sprintf("the gap is %.2g; for a narrower one give bounds to %s, as none follow from the constraints", r.Gap, g.names(free))
	}
	if errors.Is(err, ccp.ErrStop) {
		r.Status, err = ccp.Cancelled, nil
	}
	return err
}

// tellBounds reports the progress of a search over intervals.
func (g *searcher) tellBounds(rec ccp.BoundRecorder, lower float64, nodes, open int) error {
	b := ccp.Bounds{Objective: g.stated(g.upper), Bound: g.stated(lower), Nodes: nodes, Open: open, Gap: g.gap(lower), Safe: true}
	if !math.IsInf(g.upper, 1) {
		b.X = g.res.X
	}
	return rec.RecordBounds(b)
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
	if g.set.Global.Proof && s.Tree != nil {
		r.Proof = &Proof{
			p: s.P, tree: s.Tree, upper: g.upper * g.unit, lower: s.Lower * g.unit,
			maximize: g.p.Maximize, vars: g.p.Vars,
		}
	}
	g.say(ctx, s.Lower, s.Open, err, "no part of the bounds has one", fmt.Sprintf("%d nodes", s.Nodes))
}
