package ccp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dcopt/dcopt/ccp/internal/diagnose"
	"github.com/dcopt/dcopt/ccp/internal/kkt"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/qpbackend"
)

// finish completes the result: here alone a status is written.
func (r *run) finish(end *outcome, t time.Time) *Result {
	res := r.res
	last := end.status()
	end = r.known(r.infeasibleByRange(end))
	res.Status, res.Message, res.end = end.status(), end.message, end
	switch res.Status {
	case Infeasible:
		res.Objective = r.minimised(math.Inf(1))
	case Unbounded:
		res.Objective, res.NoMultipliers = r.minimised(math.Inf(-1)), nil
	}
	r.boundDefined()
	res.concluded = res.Objective
	w := r.worthOf(res.X)
	res.Worst, res.ObjectiveError = w.broken.Where(), w.err
	if res.Status == Cancelled || res.Status == TimeLimit {
		if res.Message = r.obstacle(); len(res.History) == 0 {
			res.Message = beforeFirst
		}
	}
	res.sub = r.sub
	res.work, res.final, res.least = r.budget.Used(), r.final(), r.leastDifference(res, w.size)
	res.iteration = r.budget.Meter.Multiplications / max(1, r.budget.Meter.Iterations)
	res.Seconds.Solve = r.seed.before + subproblem.Since(t)
	res.Seconds.Backend = r.sub.Session.Seconds
	certified := func() bool {
		off := qpbackend.PrimalInfeasibility(r.sub.Stated(), r.sub.Session.Res.Y, r.sub.Session.Res.Z)
		return off <= r.means.backend.DefaultSettings().InfeasTol
	}
	switch {
	case res.Status != last, res.Status == Infeasible && res.Iterations > 0 && !certified():
		// ranges alone show the end, and multipliers nothing
		res.take(subproblem.Multipliers{})
	case res.NoMultipliers != nil:
	case res.Duals == nil && res.Iterations > 0:
		res.take(r.duals(subproblem.Multipliers{}))
	case res.Status == Converged && res.Duals != nil:
		h := r.holding
		if h.point == nil || !slices.Equal(h.point.X, res.X) {
			r.means.point = h.point // nothing else has it now
			h = holding{point: r.examined(res.X)}
			r.holding = h
		}
		r.heldByBounds(h.point)
		if h.residual.Kinked { // its multipliers are any of many
			break
		}
		if c, change := h.point.Loose(res.Duals, r.set.FeasTol); c != nil {
			const format = "the tolerance of feasible points decides the objective: %s may change it by %.2g"
			res.Loose = &Loose{c.Name(), change}
			res.Message = joined(res.Message, fmt.Sprintf(format, c.Name(), change))
		}
	}
	return res
}

// heldByBounds replaces the multipliers of bounds by the slopes of the problem as it is written, at
// the point of the result: the splits may have the values of variables with equal bounds in their
// place, and point has the ends of domains among its bounds, whose multipliers are not stated.
func (r *run) heldByBounds(point *kkt.Point) {
	if len(r.res.BoundDuals) == 0 {
		return
	}
	var written []float64
	asked := false
	for _, v := range r.p.Vars {
		for k := range v.Len() {
			lo, hi := v.Bounds(k)
			j := v.Offset + k
			x, y, slip := r.res.X[j], &r.res.BoundDuals[j], r.set.FeasTol*point.Size[j]
			switch {
			case v.Param:
			case lo == hi:
				if !asked {
					written, asked = point.Residual(r.res.Duals).Bounds, true
				}
				if written != nil {
					*y = written[j]
				}
			case *y > 0 && point.Hi[j] < hi && hi-x > slip, *y < 0 && point.Lo[j] > lo && x-lo > slip:
				*y = 0
			}
		}
	}
}

// known is end, which is no convergence next to a pole, nor where rounding errors leave more of the
// objective open than values of points differ by that the first-order conditions hold at, √Tol of
// its size; where only values say that no point is better, Tol of it.
func (r *run) known(end *outcome) *outcome {
	if end.status() == Converged && r.where.PoleAtZero(r.res.X, r.sub.Units.Sizes) {
		return conclude(AtPole, "")
	}
	w, open := r.worthOf(r.res.X), math.Sqrt(r.set.Tol)
	if end.reason == Still {
		open = r.set.Tol
	}
	if end.status() != Converged || !(w.err > open*w.size) || !(w.err > open*r.p.ObjectiveUnit(r.res.X)) {
		return end
	}
	const why = "rounding errors change the objective by up to %.2g: it may have no least value, as next to a pole"
	return r.giveUp(Rounding, fmt.Sprintf(why, w.err), end.message)
}

// boundDefined puts the variables of the best point that an equation defines into their bounds,
// where it keeps the constraints then as well as before: the equation is broken by as much as the
// bound was.
func (r *run) boundDefined() {
	if r.p.Defined() == nil {
		return
	}
	x := slices.Clone(r.res.X)
	if !r.p.BoundDefined(x) {
		return
	}
	var it Iteration
	r.measure(&it, x)
	if at := r.result(&it); rank(at.Feasible, at.nearly) == rank(r.res.Feasible, r.res.nearly) &&
		num.Finite(it.Objective) {
		r.res.X, r.res.Violation = x, it.Violation
		if num.Finite(r.res.Objective) {
			r.res.Objective = it.Objective
		}
	}
}

// afterPanic makes a result and an error of a panic. It is for deferred calls.
func (r *run) afterPanic(res **Result, err *error, t time.Time) {
	if v := recover(); v != nil {
		*err = caught(v)
		*res = r.finish(conclude(Panicked, (*err).Error()), t)
	}
}

// mayBeInfeasible reports whether a backend's proof that no point meets the convex
// constraints can be one: it is asked for before any point was found, and the start
// itself breaks them, or is outside the domain of a function.
func (r *run) mayBeInfeasible() bool {
	least := 1e-3 * r.set.FeasTol
	return r.k == 1 && !r.res.nearly && (r.sub.BreaksHard(r.x, least) || r.p.OutsideDomains(r.x) > least)
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

// outOfRange is the end where a constraint that the start breaks holds nowhere within the bounds of
// the variables: its range, in interval arithmetic rounded outward, is above 0 by more than
// FeasTol.
func (r *run) outOfRange() *outcome {
	if r.res.nearly {
		return nil
	}
	return r.beyond(r.x, false, func(c *program.Constraint) interval.Interval { return c.Function().Over() },
		"no point within the bounds of the variables meets %s, which is broken by %.3g at least")
}

// beyond is the end where the range of a constraint that x breaks, or of all, is above 0 by more
// than FeasTol in its row's unit; nil: there is none. format is for its name and the least value.
func (r *run) beyond(x []float64, all bool, ranged func(c *program.Constraint) interval.Interval,
	format string) *outcome {
	for k, v := range r.sub.SoftValues(x) {
		if !all && !(v > 0) {
			continue // the range holds that value
		}
		c := r.sub.Compiled.Soft[k]
		if least := ranged(c).Lo; least > r.set.FeasTol*r.p.UnitWithin(c) {
			r.res.Conflict = []string{c.Name()}
			return conclude(OutOfRange, fmt.Sprintf(format, c.Name(), least))
		}
	}
	return nil
}

// infeasibleByRange is end, or infeasible where the best point breaks a row, be it by a rounding
// error, and no point within the bounds that meets the affine equations exactly meets some
// constraint: its range there is above 0 by more than FeasTol in its row's unit. x = y may be
// broken by 10⁻⁸ at points of 10⁵ that meet x² − y² ≤ −10⁻³.
func (r *run) infeasibleByRange(end *outcome) *outcome {
	switch end.status() {
	case Converged, Stalled, IterationLimit, Numerical:
	default:
		return end
	}
	if r.res.Violation == 0 {
		return end
	}
	equations := slices.ContainsFunc(r.sub.Compiled.Hard, equates)
	if out := r.beyond(r.res.X, equations, r.p.ReducedRange, "no point within the bounds of the variables that meets "+
		"the affine equations meets %s, which is broken by %.3g at least there"); out != nil {
		return out
	}
	return r.infeasibleByPair(end)
}

// infeasibleByPair is end, or infeasible where the constraint that the best point breaks most
// excludes another one of the same variables. Where both hold their sum is at most 0; equal
// functions cancel in it, as in norm1(x) − 1 and 2 − norm1(x), and its range within the bounds is
// above 0.
func (r *run) infeasibleByPair(end *outcome) *outcome {
	if r.res.Feasible {
		return end
	}
	all := slices.Concat(r.sub.Compiled.Soft, r.sub.Compiled.Hard)
	all = slices.DeleteFunc(all, func(c *program.Constraint) bool { return !c.DC })
	var worst *program.Constraint
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
	e, unit, of := worst.Function(), r.p.UnitWithin(worst), worst.Support()
	for _, c := range all {
		if c == worst || !slices.Equal(c.Support(), of) {
			continue
		}
		if least := e.Add(c.Function()).Over().Lo; least > r.set.FeasTol*(unit+r.p.UnitWithin(c)) {
			r.res.Conflict = []string{c.Name(), worst.Name()}
			return conclude(Opposed, fmt.Sprintf(format, c.Name(), worst.Name(), least))
		}
	}
	return end
}

// equates reports whether a constraint wants a value of an affine function.
func equates(c *program.Constraint) bool {
	for k := range c.Lo {
		if !c.DC && c.Lo[k] == c.Hi[k] {
			return true
		}
	}
	return false
}
