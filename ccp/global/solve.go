package global

import (
	"context"
	"errors"
	"math"
	"runtime/debug"
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
// It begins with ccp.Multistart and improves the point from the nodes. A context
// that ends, or Settings.Global.MaxNodes, leaves the best point with its gap. A problem
// for which there is no such search, or too large a one, is a *UnsupportedError.
//
// It starts from x0 or, if that is nil, from starts points as ccp.Multistart does.
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
	var g *searcher
	defer func() {
		if v := recover(); v != nil {
			if err = (&ccp.PanicError{Where: "a function that global.Solve called", Value: v, Stack: debug.Stack()}); g != nil {
				out = g.res
			}
		}
	}()
	unit := p.ObjectiveUnit(nil)
	g, err = newGlobal(p, set, unit)
	if err != nil || set.Global.Proof {
		if g, err = newSpatial(p, set, unit, err); err != nil {
			return nil, err
		}
	}
	if g.flat != nil {
		if err := g.tellFirst(); err != nil && !errors.Is(err, ccp.ErrStop) { // who stops it does so again
			return nil, err
		}
	}
	var res *ccp.Result
	if x0 != nil {
		res, err = ccp.Solve(ctx, p, x0, set)
	} else {
		res, err = ccp.Multistart(ctx, p, starts, set)
	}
	if res == nil {
		return nil, err
	}
	out = &Result{Result: res, Bound: math.Inf(-1), Gap: math.Inf(1)}
	again, refused := g.inUnit(p.ObjectiveUnit(res.X))
	if refused != nil {
		return out, refused
	}
	g = again
	g.res = out
	if g.flat != nil {
		if err == nil || ctx.Err() != nil {
			err = g.boundBySpace(ctx)
		}
		res.Seconds.Solve = subproblem.Since(began)
		if ctx.Err() != nil {
			return g.res, ctx.Err()
		}
		return g.res, err
	}
	if err == nil && g.choices == nil {
		g.sub, err = subproblem.CompileWith(ctx, &subproblem.Problem{DC: g.exact}, false, g.addRegions)
	}
	if err == nil && g.sub != nil {
		defer g.sub.Close()
	}
	if err == nil {
		err = g.search(ctx)
	}
	if g.sub != nil {
		res.Seconds.Backend += g.sub.Seconds
	}
	g.conclude(ctx, err)
	res.Seconds.Solve = subproblem.Since(began)
	if ctx.Err() != nil {
		return g.res, ctx.Err()
	}
	return g.res, err
}
