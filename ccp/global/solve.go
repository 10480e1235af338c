package global

import (
	"context"
	"errors"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
)

// Solve minimises p by branch and bound over the intervals of the arguments of all functions. It
// begins with a descent, whose answer is the result where nothing better is found, and improves the
// point from the nodes. A context that ends, or Settings.Global.MaxNodes, leaves the best point
// with its gap. Where there is no search, as functions have no bounds or the problem is too large,
// the result has no bound: NoBound says why.
//
// The bounds are safe with Settings.Global.Proof. Without it they are the backend's where variables
// have no bounds, and where the objective has a sum of the least of convex functions, which the
// convex hull of its choices bounds best. See Result.Safe.
//
// It starts from x0 or, if that is nil, from starts points as ccp.Multistart does; ccp.Automatic is
// as Best.
//
// A node that the backend refuses is split as one that it fails on. The status is ccp.Numerical
// where no search can begin for that.
//
// A panic in a user's backend or recorder is a *ccp.PanicError, together with the best point if
// there is one.
func Solve(ctx context.Context, p *dc.Problem, x0 []float64, starts int, set ccp.Settings) (out *Result, err error) {
	if p.Program() == nil {
		return nil, errors.New("global: the problem is nil; did Model.Problem return an error?")
	}
	if err := set.Validate(); err != nil {
		return nil, err
	}
	began := time.Now()
	defer panicked(&err)
	var res *ccp.Result
	switch {
	case x0 == nil && starts == ccp.Automatic:
		out, err = Best(ctx, p, set)
	case x0 == nil:
		res, err = ccp.Multistart(ctx, p, starts, set)
		out = unproved(p.Program(), res)
	default:
		res, err = ccp.Solve(ctx, p, x0, set)
		out = unproved(p.Program(), res)
	}
	var told error
	if out != nil {
		told = out.tell(set.Recorder)
	}
	switch {
	case out == nil || out.Proved || err != nil && ctx.Err() == nil:
		return out, err
	case errors.Is(told, ccp.ErrStop):
		out.Status = ccp.Cancelled
	case told != nil:
		return out, told
	default:
		err = prove(ctx, p, set, out)
	}
	out.Seconds.Solve = subproblem.Since(began)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out, err
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
