package ccp

import (
	"context"

	"github.com/dcopt/dcopt/ccp/internal/accel"
	"github.com/dcopt/dcopt/ccp/internal/search"
	"github.com/dcopt/dcopt/ccp/internal/sl1qp"
)

// latest is the iteration from which Newton's method goes on although constraints are
// broken: while τ grows, the procedure still chooses between minima. Source: 8 instead
// ends at worse ones, as in half of DCCP's sparse singular vectors; 20 and 30 change
// nothing there, nor on the problems of cmd/dcopt/testdata/equations.
const latest = 14

// newton is Newton's method around a descent.
type newton struct {
	*run
	descend local
	method  *sl1qp.Method // that follows nonlinear equations; nil: there are none
	asked   bool          // whether there are any
}

// newton is the local search that goes on by Newton's method from where descend has led
// in a few iterations, if there are nonlinear equations to follow.
func (r *run) newton(descend local) local {
	if !r.set.Acceleration.Newton {
		return descend
	}
	return (&newton{run: r, descend: descend}).search
}

func (n *newton) search(ctx context.Context, m search.Move) (outcome, error) {
	if !n.equations(ctx) {
		return n.descend(ctx, m)
	}
	return n.alternate(ctx, m)
}

// alternate descends for a few iterations, follows the equations from there and, where that leads
// nowhere, descends.
func (n *newton) alternate(ctx context.Context, m search.Move) (outcome, error) {
	handed := false
	early := m
	early.Lost = func(t search.Trial) bool {
		lost := m.Lost != nil && m.Lost(t)
		handed = !lost && (t.K >= accel.After && t.Feasible || t.K >= latest)
		return lost || handed
	}
	end, err := n.descend(ctx, early)
	if err != nil || !handed && (n.hop > 0 || end.status != Converged && end.status != Stalled) {
		return end, err
	}
	to, err := n.follow(ctx)
	switch {
	case err != nil || to.over():
		return to, err
	case end.status == Converged && !handed:
		return end, nil
	}
	return n.descend(ctx, m)
}

// equations reports whether the problem has nonlinear equations, and makes the method
// that follows them.
func (n *newton) equations(ctx context.Context) bool {
	if !n.asked {
		n.asked = true
		m, err := sl1qp.New(ctx, n.p, n.set.backend())
		if err == nil && m != nil {
			n.method = m
			n.extra = m.Sub
		}
	}
	return n.method != nil
}

// follow goes from x to a point that keeps the constraints and from which linearised
// ones lead no further. If there is none it goes where the merit is lower, and has no
// outcome.
func (n *newton) follow(ctx context.Context) (outcome, error) {
	r := n.run
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
	to, err := n.method.From(ctx, at)
	r.k += to.Solves - noted
	r.res.Iterations += to.Solves
	switch {
	case ctx.Err() != nil:
		return interrupted(ctx.Err()), ctx.Err()
	case err != nil || end.over():
		return end, err
	}
	if to.Stationary {
		r.tip = n.method.Sub
		r.arrive(to.X)
		n.settle(to.X)
		return outcome{status: Converged}, nil
	}
	before, _ := r.merit(r.x)
	if after, _ := r.merit(to.X); after < before {
		r.arrive(to.X)
	}
	return outcome{}, nil
}

// settle makes x, where the method has ended, the best point if the best so far is lower
// by no more than the price of the violations there.
func (n *newton) settle(x []float64) {
	r := n.run
	it := r.prev
	r.measure(&it, x)
	if it.Feasible && it.Violation < r.res.Violation && n.method.Above(r.res.X, x) {
		copy(r.res.X, x)
		r.res.Objective, r.res.Violation = it.Objective, it.Violation
	}
}

// arrive goes to x, from where the procedure begins anew.
func (r *run) arrive(x []float64) {
	copy(r.x, x)
	copy(r.z, x)
	r.prev = Iteration{}
	r.measure(&r.prev, r.x)
	r.penalty.idle, r.penalty.flat = 0, 0
	r.devices.Reset()
	r.kinds.Reset()
}
