package global

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global/internal/spatial"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/expr/family"
)

// Best gives the best point that the work of Settings.Effort finds, with a bound of how much better
// a point can be. The first start is ccp.Starts.First. The rest of the work is shared
// between further starts (ccp.Starts), drawn between bounds that follow from the constraints, and
// the search of Solve over intervals, which ends all where it proves a point.
//
// The status is the one of the start that gave the point, ccp.Converged where the point is proved,
// or ccp.Infeasible where that is. Where there is no bound NoBound says why: that is no error. ctx,
// panics and errors are as in Solve.
func Best(ctx context.Context, p *dc.Problem, set ccp.Settings) (out *Result, err error) {
	began := time.Now()
	defer panicked(&err)
	starts, err := ccp.NewStarts(p, set)
	if err != nil {
		return nil, err
	}
	starts.First(ctx)
	res, err := starts.Result()
	if res == nil {
		return nil, err
	}
	out = unproved(p.Program(), res)
	most, first := starts.Most(), starts.Work()
	if err != nil || !out.Feasible && starts.Final() || out.Status == ccp.Unbounded {
		return out, err
	}
	final := starts.Final()
	if final { // there is only a proof to find
		most = max(2*first, most/10)
	}
	b := bounding{p: p, set: set, out: out, starts: starts}
	b.out.Result = copied(res)
	b.prepare(ctx, most)
	if b.search != nil && final { // another point would be no better
		b.search.Try = func(context.Context, []float64, bool) float64 { return b.g.upper }
	}
	for !out.Proved && ctx.Err() == nil && b.spent()+starts.Work() < most {
		done := starts.Exhausted()
		ahead := starts.Work() - first - b.spent() // the starts; they begin where there is no feasible point
		if b.search != nil && (done || ahead > 0 || ahead == 0 && b.out.Feasible) {
			b.g.set.MaxWork = most - b.spent() - starts.Work()
			b.search.Most.Solve = b.each(most)
			b.bound(ctx, most/rounds)
			continue
		}
		if done {
			break
		}
		starts.Spend(ctx, most-b.spent())
		if err = b.takes(); err != nil {
			break
		}
		if b.blind && b.out.Feasible {
			b.prepare(ctx, most)
		}
	}
	if starts.Settle(ctx); err == nil && !out.Proved {
		err = b.takes()
	}
	if final && !out.Proved { // it is the best one by its multipliers
		out.NoBound = ""
	}
	if b.g != nil && b.last != nil && !out.Proved {
		if b.g.states(b.last); !final && out.NoBound == "" && math.IsInf(b.last.Lower, -1) {
			out.NoBound = b.g.noBound(nil)
		}
	}
	out.Seconds.Solve = subproblem.Since(began)
	if err == nil && !out.Proved {
		err = ctx.Err()
	}
	return out, err
}

// rounds is how many times the starts and the search change at least. Source: any number does.
const rounds = 8

// bounding is a search for a bound beside starts.
type bounding struct {
	p      *dc.Problem
	set    ccp.Settings
	out    *Result
	starts *ccp.Starts
	g      *searcher
	last   *spatial.Search // that has stated a bound, nil: none has
	used   float64         // work of searches that are over
	search *spatial.Search // nil: there is none, see Result.NoBound
	blind  bool            // the search began without a feasible point, and some variables have no bounds
}

// copied is a result that may change.
func copied(res *ccp.Result) *ccp.Result {
	r := *res
	r.X = slices.Clone(r.X)
	return &r
}

func (b *bounding) spent() float64 {
	if b.search == nil {
		return b.used
	}
	return b.used + b.search.Work()
}

// each is the work that one convex problem of the search may take: half of what is left of most,
// and no less than a round.
func (b *bounding) each(most float64) float64 {
	return max((most-b.spent()-b.starts.Work())/2, most/rounds)
}

// largest is the share of the work that one node may take for a search to begin. Source: a limit of
// time; examples/control.dc, of 1200 variables, is proved at the root.
const largest = 0.05

// prepare makes the search, and gives the starts their bounds. Where there is none it says why.
func (b *bounding) prepare(ctx context.Context, most float64) {
	b.used, b.search, b.blind, b.out.NoBound = b.spent(), nil, false, ""
	set := b.set
	set.Global.Proof, set.Recorder = true, nil
	// The convex problems of the search have as many columns as those of the starts, at least.
	if spatial.SolveIterations*b.starts.IterationWork() > b.each(most) {
		b.out.NoBound = spatial.ErrTooLarge.Error()
		return
	}
	entries := family.Coefficients(b.p.Program().Objective) // of the columns and rows of the search, at least
	if b.tooLarge(b.p.NumVars()+len(b.p.Program().Constraints), entries, most) {
		return
	}
	var free []int
	g, err := newSearcher(b.p, set, b.out)
	if err == nil {
		if b.tooLarge(g.flat.Columns(), entries, most) {
			return
		}
		b.g, g.each = g, b.each(most)
		b.search, free, err = g.search(ctx)
	}
	if err != nil {
		b.out.NoBound, b.search = err.Error(), nil
		return
	}
	if b.search.Open == 0 { // nothing is better by intervals alone
		b.finish(nil)
		return
	}
	root := b.search.Root()
	lo, hi := b.p.Box()
	for j := range lo {
		lo[j], hi[j] = max(lo[j], root[j].Lo), min(hi[j], root[j].Hi)
	}
	b.starts.Lo, b.starts.Hi = lo, hi
	if b.blind = len(free) > 0 && !b.out.Feasible; len(free) > 0 {
		b.out.NoBound = g.noBound(free)
		if !math.IsInf(b.search.Lower, -1) {
			b.finish(nil)
		}
	}
}

// tooLarge reports whether a node of so many columns, with so many entries, takes too long, and
// says so in the result.
func (b *bounding) tooLarge(columns, entries int, most float64) bool {
	large := columnWork*float64(columns)+entryWork*float64(entries) > largest*most
	if large {
		b.out.NoBound = spatial.ErrTooLarge.Error()
	}
	return large
}

// columnWork and entryWork are about the work of a node for a column and for an entry: some thirty
// iterations of the backend, of as many and of ten multiplications. Source: profiles of small
// problems of MINLPLib, and of dense least squares of 500 variables.
const (
	columnWork = 1000
	entryWork  = 300
)

// takes makes the best of all starts and of the search the best point. An error of the starts is no
// reason to lose it.
func (b *bounding) takes() error {
	res, err := b.starts.Result()
	b.out.Result = copied(res)
	if b.search != nil && res.Feasible {
		b.g.upper = min(b.g.upper, b.g.minimised(res.Objective))
		b.search.Upper = b.g.upper
	}
	return err
}

// bound searches on with so much work.
func (b *bounding) bound(ctx context.Context, work float64) {
	before, spent := b.out.Objective, b.search.Work()
	b.search.Most.Run = spent + work
	err := b.search.Run(ctx)
	if b.out.Objective != before {
		b.starts.Add(copied(b.out.Result))
	}
	over := b.search.Work() == spent || b.search.Open == 0 || err != nil && ctx.Err() == nil
	if errors.Is(err, spatial.ErrTooLarge) {
		if err = nil; b.search.Nodes == 0 {
			b.out.NoBound = spatial.ErrTooLarge.Error()
		}
	}
	if b.finish(err); over { // nothing is left that would change
		b.used, b.search = b.spent(), nil
	}
}

// finish states the bound so far.
func (b *bounding) finish(err error) {
	b.last = b.search
	b.g.states(b.last)
	if b.out.Proved {
		b.out.end()
	} else if err == nil {
		b.out.infeasible(b.last)
	}
}
