package global

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
)

// Solve minimises p by branch and bound over the affine pieces of every h,
// which must be sums of maxima of few affine functions, or over the choices of minima.
// Where a piece is chosen
// for a maximum, h is that piece on the region where it is the largest; where
// none is, h is bounded from above, by the first piece and the chords of what the others
// exceed it by, over the ranges of their differences, so each node is a convex problem whose
// value is a lower bound (Horst and Thoai 1999; the chord is the
// concave envelope, Falk and Soland 1969). The root is bounded by the convex
// hull of all choices where h has no such range (Balas 1979).
//
// Where all constraints are convex, and the objective a convex function plus minima or
// sums of the least of convex functions (norms aside, maxima of affine functions and
// squares), a node has chosen which of them count. The others are bounded by the convex
// hull of the choice, each together with a share of the objective's squares in its
// variables (Ceria and Soares 1999).
//
// It begins with them, whose answer is the result where nothing better is found, and improves the
// point from the nodes. A context that ends, or Settings.Global.MaxNodes, leaves the best point
// with its gap. Where there is no such search, or too large a one, the result has no bound: NoBound
// says why.
//
// It starts from x0 or, if that is nil, from starts points as ccp.Multistart does; ccp.Automatic is
// as Best.
//
// A node that the backend refuses is split as one that it fails on. The status is ccp.Numerical
// where no search can begin for that.
//
// A panic in a user's backend or recorder is a *ccp.PanicError, together with the best point if there is one.
func Solve(ctx context.Context, p *dc.Problem, x0 []float64, starts int, set ccp.Settings) (out *Result, err error) {
	if p == nil {
		return nil, errors.New("global: the problem is nil; did Model.Problem return an error?")
	}
	if err := set.Validate(); err != nil {
		return nil, err
	}
	began := time.Now()
	defer panicked(&err)
	ready := make(chan prepared, 1)
	go func() { ready <- prepare(p, set) }()
	var res *ccp.Result
	switch {
	case x0 == nil && starts == ccp.Automatic:
		out, err = Best(ctx, p, set)
	case x0 == nil:
		res, err = ccp.Multistart(ctx, p, starts, set)
		out = unproved(p, res)
	default:
		res, err = ccp.Solve(ctx, p, x0, set)
		out = unproved(p, res)
	}
	var told error
	if out != nil {
		told = out.tell(set.Recorder)
	}
	g := <-ready
	var no *unsupportedError
	switch {
	case out == nil || out.Proved || err != nil && ctx.Err() == nil:
		return out, err
	case errors.As(g.refused, &no):
		out.NoBound = no.why
		return out, err
	case g.refused != nil:
		return out, g.refused
	case errors.Is(told, ccp.ErrStop):
		out.Status = ccp.Cancelled
	case told != nil:
		return out, told
	default:
		err = g.prove(ctx, out)
	}
	out.Seconds.Solve = subproblem.Since(began)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out, err
}

// prepared is a search that has not begun, or why there is none.
type prepared struct {
	*searcher
	refused error
}

// prepare chooses the search.
func prepare(p *dc.Problem, set ccp.Settings) (out prepared) {
	defer panicked(&out.refused)
	unit := p.ObjectiveUnit(nil)
	out.searcher, out.refused = newGlobal(p, set, unit)
	if out.refused != nil || set.Global.Proof {
		out.searcher, out.refused = newSpatial(p, set, unit, out.refused)
	}
	return out
}

// tell reports the point before there is a bound: the search may be interrupted where it cannot
// give it back.
func (r *Result) tell(to ccp.Recorder) error {
	rec, ok := to.(ccp.BoundRecorder)
	if !ok || !r.Feasible {
		return nil
	}
	return rec.RecordBounds(ccp.Bounds{Objective: r.Objective, Bound: r.Bound, Gap: r.Gap, X: r.X, Open: 1})
}

// prove bounds the objective, and improves the point.
func (g *searcher) prove(ctx context.Context, out *Result) error {
	g, err := g.inUnit(g.p.ObjectiveUnit(out.X))
	if err != nil {
		return err
	}
	if g.res = out; g.flat != nil {
		return g.boundBySpace(ctx)
	}
	if g.choices == nil {
		g.sub, err = subproblem.CompileWith(ctx, &subproblem.Problem{DC: g.exact}, false, g.addRegions)
	}
	if err == nil && g.sub != nil {
		defer g.sub.Close()
	}
	if err == nil {
		err = g.search(ctx)
	}
	if g.sub != nil {
		out.Seconds.Backend += g.sub.Seconds
	}
	g.conclude(ctx, err)
	if ctx.Err() == nil && err != nil && !refusal(err) {
		out.Status, out.Message, err = ccp.Numerical, fmt.Sprintf("%s; %v", out.Message, err), nil
	}
	return err
}
