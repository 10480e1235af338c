package ccp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/ccp/internal/diagnose"
	"github.com/dcopt/dcopt/ccp/internal/penalty"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/ccp/sensitivity"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// A solver's unfinished answer is still a step up to the residual stepEnough. maxInner keeps a splitting method from polishing a
// convex problem that the next iteration replaces. Source: larger values change the
// answers of admm on the test set, smaller ones the number of failures.
const (
	stepEnough = 1e-3
	maxInner   = 10_000
	tightest   = 1e-9  // tolerance asked of a solver: that of double precision after scaling
	finest     = 1e-13 // and where the objective is far below its unit: a thousand units of rounding
	looser     = 100   // so many times Tol may stay open, with a remark. Source: docs/lab/ccp.md

	mostFailures = 4 // recoveries of a run
	mostHeld     = 6 // changes of its proximal term
)

// open makes the solver.
func (r *run) open(ctx context.Context) (*outcome, error) {
	b := r.means.backend
	set := b.DefaultSettings()
	set.Tol, set.MaxIter, set.Intermediate, set.OwnUnits = r.recover.tol, min(set.MaxIter, maxInner), !r.sub.Convex(), true
	return ended(ctx, r.sub.Open(ctx, b, set))
}

// usualTol is the tolerance of the backend at first.
func (r *run) usualTol() float64 {
	return max(min(r.means.backend.DefaultSettings().Tol, r.set.FeasTol), tightest)
}

// tighten makes the solver anew with another tolerance.
func (r *run) tighten(ctx context.Context, tol float64) (*outcome, error) {
	r.recover.tol = tol
	r.sub.Close()
	return r.open(ctx)
}

// reopen makes the solver anew for the current linearisation.
func (r *run) reopen(ctx context.Context) (*outcome, error) {
	if err := r.sub.Linearise(r.z, r.penalty.Tau); err != nil {
		return ended(ctx, err)
	}
	r.sub.Close()
	r.sub.Session.Res.Status = qpbackend.Unknown
	end, err := r.open(ctx)
	if err != nil && end == nil {
		return r.failed(ctx, err)
	}
	return end, err
}

// failed is the end where a convex problem could not be tried. That of the first
// iteration is a refusal.
func (r *run) failed(ctx context.Context, err error) (*outcome, error) {
	err = fmt.Errorf("ccp: iteration %d: %w", r.k, err)
	if r.k == 1 || ctx.Err() != nil {
		return ended(ctx, err)
	}
	return r.giveUp(BackendFailed, err.Error()), nil
}

// afterFailure recovers from a failure of the backend. It first gets the problem once more, scaled
// for the current values and without a starting point, then with a proximal term, then from another
// point with a τ that keeps it near the constraints.
func (r *run) afterFailure(ctx context.Context) (*outcome, error) {
	sol, c := &r.sub.Session.Res, &r.recover
	if r.course.Sharpened && r.sub.Convex() { // it was solved before, to the usual accuracy
		return r.shown(), nil
	}
	why := fmt.Sprintf("backend %s ended with %v in iteration %d, residual %.1g; %s", r.res.Backend, sol.Status, r.k, sol.Res.Max(), sol.Message)
	if c.failures++; c.failures > mostFailures {
		return r.giveUp(BackendFailed, why), nil
	}
	switch {
	case c.failures == 2 && r.set.Heuristics.Proximal:
		r.sub.Dampen(r.z)
	case c.failures > 2 && r.penalty.Restarts < penalty.MostRestarts:
		r.sub.Calm()
		r.restart()
	}
	return r.reopen(ctx)
}

// mayBeInfeasible reports whether a backend's proof that no point meets the convex
// constraints can be one: it is asked for before any point was found, and the start
// itself is none that meets them.
func (r *run) mayBeInfeasible() bool {
	return r.k == 1 && !r.res.nearly && r.sub.BreaksHard(r.x, 1e-3*r.set.FeasTol)
}

// hold makes a convex problem bounded that is not: by a larger τ where its slacks run
// away, else by a proximal term, heavier each time. It ends the run where the problem
// is unbounded itself, or there is nothing left to try.
func (r *run) hold(ctx context.Context) (*outcome, error) {
	if r.sub.SlacksRun() && r.penalty.Raise() {
		return ended(ctx, r.sub.Linearise(r.z, r.penalty.Tau))
	}
	if ray := r.where.Ray(r.x, r.sub.Session.Res.X[:r.p.NumVars()], 1, 1e3); ray != nil {
		return r.unbounded(ray), nil
	}
	if r.recover.held++; !r.set.Heuristics.Proximal || r.recover.held > mostHeld {
		return conclude(NoLeastValue, ""), nil
	}
	r.sub.Dampen(r.z)
	return r.reopen(ctx)
}

// infeasible is the end where the convex constraints exclude each other.
func (r *run) infeasible(ctx context.Context) *outcome {
	names := diagnose.Conflict(ctx, r.sub)
	r.res.Conflict = names
	if len(names) == 0 {
		return conclude(Conflict, "")
	}
	const most = 6 // Source: derived: names that a line of a terminal holds
	if len(names) > most {
		names = append(names[:most:most], "...")
	}
	return conclude(Conflict, "", "those in conflict: "+strings.Join(names, ", "))
}

// outOfRange is the end where a constraint that the start breaks holds nowhere within the bounds of the
// variables: its range, in interval arithmetic rounded outward, is above 0 by more than FeasTol.
func (r *run) outOfRange() *outcome {
	if r.res.nearly {
		return nil
	}
	const format = "no point within the bounds of the variables meets %s, which is broken by %.3g at least"
	for k, v := range r.sub.SoftValues(r.x) {
		c := r.sub.Compiled.Soft[k]
		if !(v > 0) {
			continue // the range holds that value
		}
		if least := c.E().Range().Lo; least > r.set.FeasTol*r.p.UnitWithin(c) {
			r.res.Conflict = []string{c.Name()}
			return conclude(OutOfRange, fmt.Sprintf(format, c.Name(), least))
		}
	}
	return nil
}

// excluded is end, or infeasible where the best point breaks a row, be it by a rounding error, and no point within the bounds that
// meets the affine equations exactly meets some constraint: its range there is above 0 by more than FeasTol in its row's unit. x = y may be broken
// by 10⁻⁸ at points of 10⁵ that meet x² − y² ≤ −10⁻³.
func (r *run) excluded(end *outcome) *outcome {
	switch end.status() {
	case Converged, Stalled, IterationLimit, Numerical:
	default:
		return end
	}
	if r.res.Violation == 0 {
		return end
	}
	const format = "no point within the bounds of the variables that meets the affine equations meets %s, " +
		"which is broken by %.3g at least there"
	equations := slices.ContainsFunc(r.sub.Compiled.Hard, equates)
	for k, v := range r.sub.SoftValues(r.res.X) {
		c := r.sub.Compiled.Soft[k]
		if !equations && !(v > 0) {
			continue // the range holds that value
		}
		if least := r.p.ReducedRange(c).Lo; least > r.set.FeasTol*r.p.UnitWithin(c) {
			r.res.Conflict = []string{c.Name()}
			return conclude(OutOfRange, fmt.Sprintf(format, c.Name(), least))
		}
	}
	return r.contradicted(end)
}

// contradicted is end, or infeasible where the constraint that the best point breaks most excludes another one of the same variables. Where both
// hold their sum is at most 0; equal functions cancel in it, as in norm1(x) − 1 and 2 − norm1(x), and its range within the bounds is above 0.
func (r *run) contradicted(end *outcome) *outcome {
	if r.res.Feasible {
		return end
	}
	all := slices.DeleteFunc(slices.Concat(r.sub.Compiled.Soft, r.sub.Compiled.Hard), func(c *dc.Constraint) bool { return !c.DC })
	var worst *dc.Constraint
	most := 0.
	for _, c := range all {
		if v := c.Value(r.res.X); v > most {
			worst, most = c, v
		}
	}
	if worst == nil {
		return end
	}
	const format = "no point within the bounds of the variables meets both %s and %s: " +
		"together they are broken by %.3g at least"
	e, unit, of := worst.E(), r.p.UnitWithin(worst), worst.Support()
	for _, c := range all {
		if c == worst || !slices.Equal(c.Support(), of) {
			continue
		}
		if least := e.Add(c.E()).Range().Lo; least > r.set.FeasTol*(unit+r.p.UnitWithin(c)) {
			r.res.Conflict = []string{c.Name(), worst.Name()}
			return conclude(Opposed, fmt.Sprintf(format, c.Name(), worst.Name(), least))
		}
	}
	return end
}

// equates reports whether a constraint wants a value of an affine function.
func equates(c *dc.Constraint) bool {
	for k := range c.Lo {
		if !c.DC && c.Lo[k] == c.Hi[k] {
			return true
		}
	}
	return false
}

// polish replaces the last point by the refined one: where the objective is flat, its accuracy Tol
// fixes a point to √Tol alone.
func (r *run) polish(ctx context.Context, end *outcome) {
	switch {
	case end.status() != Converged || r.sub.Damped():
	case !r.sub.Convex():
		r.polishHeld()
	default:
		t, ok := sensitivity.Refine(ctx, r.sub, r.res.X)
		if ok && r.refined(boxed(r.p, t.X[:len(r.res.X)]), r.gap.Tol) {
			r.res.room.convex = t
			r.res.take(r.sub.WrittenDuals(subproblem.Multipliers{}, t))
		}
	}
}

// Limits of Newton's method from the last point. Source: derived: from √Tol three steps leave
// rounding errors. To factorise a system of n unknowns takes n³/3 multiplications, ten of which take
// as long as a unit of work: where n³ is the run's work, three steps take a tenth of its time. One
// step of 300 unknowns takes some 5 ms.
const (
	mostPolishes = 3
	mostUnknowns = 300
)

// polishHeld makes steps of Newton's method from the last point, where multipliers hold it, as long
// as each is at most half of the one before.
func (r *run) polishHeld() {
	if r.res.Duals == nil || r.res.BoundDuals == nil {
		return
	}
	most := min(mostUnknowns, int(math.Cbrt(r.budget.Taken())))
	m, last := subproblem.Multipliers{Rows: r.res.Duals, Bounds: r.res.BoundDuals}, math.Inf(1)
	from := r.examined(r.res.X)
	at := from
	for n := 0; n < mostPolishes && last > sensitivity.Rounded; n++ {
		y, rows, ok := at.Newton(m.Rows, m.Bounds, most)
		if !ok {
			break
		}
		next := r.examined(boxed(r.p, y))
		step, res := r.distance(at.X, next.X), next.Residual(rows)
		if !(step <= last/2) || !(res.Slope <= math.Sqrt(r.set.Tol)) || res.Trusted {
			break
		}
		at, m, last = next, subproblem.Multipliers{Rows: rows, Bounds: res.Bounds}, step
	}
	if !(last <= r.set.Tol) || r.apart(at.X, r.res.X, math.Sqrt(r.set.Tol)) {
		return
	}
	if r.refined(at.X, r.least()+from.Owed(r.res.Duals)) {
		r.res.take(m)
	}
}

// refined moves to x, and reports whether it has. The point stays where x is worse: where that
// breaks constraints by more than the point before and by more than rounding errors do, or its
// objective is higher by more than these change it or, where it breaks less, by counts more.
func (r *run) refined(x []float64, counts float64) bool {
	var it Iteration
	before, most := r.worthOf(r.res.X).broken.Relative, 3*r.noise(r.res.X)
	r.measure(&it, x)
	if it.Relative < before {
		most += counts
	}
	rise := r.minimised(it.Objective) + it.noise() - r.minimised(r.res.Objective)
	if !num.Finite(it.Objective) || !(rise <= most) || !(it.Relative <= max(before, sensitivity.Rounded)) {
		return false
	}
	r.res.moveTo(it.Result())
	r.res.nearly = it.Feasible || it.Relative <= r.set.FeasTol
	return true
}

// boxed is a copy of x in the box of p, beyond which functions may have other values than they were written with.
func boxed(p *dc.Problem, x []float64) []float64 {
	x = slices.Clone(x)
	p.Confine(x)
	return x
}
