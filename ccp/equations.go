package ccp

import (
	"context"

	"github.com/dcopt/dcopt/ccp/internal/sl1qp"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
)

// equations reports whether the problem has nonlinear equations, and makes the method
// that follows them.
func (r *run) equations(ctx context.Context) bool {
	if !r.asked {
		r.asked = true
		m, err := sl1qp.New(ctx, r.p, r.set.backend())
		if err == nil {
			r.method = m
		}
	}
	return r.method != nil
}

// newton goes from x to a point that keeps the constraints and from which linearised
// ones lead no further. If there is none it goes where the merit is lower, and has no
// outcome.
func (r *run) newton(ctx context.Context) (outcome, error) {
	end, noted := outcome{}, 0
	at := sl1qp.Start{
		X: r.x, Tau: max(r.penalty.τ, boldTau*r.penalty.most/r.set.TauMax), Limit: r.set.MaxIter - r.k,
		Least: r.least(), Tol: r.recover.tol, Feas: r.set.FeasTol,
		Note: func(x []float64, τ float64, cost int) (err error) {
			r.k++
			noted++
			r.budget.Work += cost
			r.budget.Solves = r.k
			it := Iteration{Start: r.res.Start, Hop: r.hop, K: r.k, Tau: τ, Solver: cost}
			r.measure(&it, x)
			end, err = r.take(it)
			return err
		},
	}
	if len(r.sub.Res.Y) == len(r.sub.Rows) {
		at.Duals = r.sub.Duals().Rows
	}
	to, err := r.method.From(ctx, at)
	r.k += to.Solves - noted
	r.res.Iterations += to.Solves
	switch {
	case ctx.Err() != nil:
		return interrupted(ctx.Err()), ctx.Err()
	case err != nil || end.over():
		return end, err
	}
	if to.Stationary {
		r.tip = r.method.Sub
		r.arrive(to.X)
		return outcome{status: Converged}, nil
	}
	before, _ := r.merit(r.x)
	if after, _ := r.merit(to.X); after < before {
		r.arrive(to.X)
	}
	return outcome{}, nil
}

// arrive goes to x, from where the procedure begins anew.
func (r *run) arrive(x []float64) {
	copy(r.x, x)
	copy(r.z, x)
	r.prev = Iteration{}
	r.measure(&r.prev, r.x)
	r.penalty.idle, r.penalty.flat = 0, 0
	r.line.Reset()
	r.ahead.Reset()
	r.fixed.Reset()
	r.tangent.Reset()
}

// multipliers are those of the convex problem that has led to x.
func (r *run) duals() (none subproblem.Multipliers) {
	if len(r.tip.Res.Y) != len(r.tip.Rows) {
		return none
	}
	return r.tip.Duals()
}
