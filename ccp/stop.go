package ccp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dcopt/dcopt/ccp/internal/diagnose"
	"github.com/dcopt/dcopt/ccp/internal/search"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
)

// view is what stop decides by.
type view struct {
	it, prev Iteration
	keeps    bool    // the point keeps the constraints, as course has it at present
	convex   bool    // there is nothing to linearise, and no proximal term
	strict   bool    // only FeasTol as it is makes a point feasible
	settled  bool    // the best objective has not improved for long
	atPole   bool    // the objective is minus infinity next to the point
	alongRay bool    // it falls for ever along a ray
	residual float64 // of the backend's solution
	least    float64 // the smallest change of the objective that counts
	restarts int     // that are left
}

// verdict is what stop says.
type verdict uint8

const (
	goOn      verdict = iota
	converged         // the point is feasible as course has it, and the objective has ceased to change
	unsettled         // the same, but for the noise of the backend
	insist            // the point of a convex problem is to be found more exactly
	restart           // the objective is not finite
	noNumber          // the same, and no restart is left
	pole
	ray
)

// stop decides whether an iteration was the last of a local search.
func stop(v view) verdict {
	still := math.Abs(v.it.Objective-v.prev.Objective) <= v.least
	switch {
	case v.alongRay:
		return ray
	case v.atPole:
		return pole
	case !subproblem.IsFinite(v.it.Objective) && v.restarts > 0:
		return restart
	case !subproblem.IsFinite(v.it.Objective):
		return noNumber
	case v.keeps && (v.convex || still) && v.residual <= lastEnough:
		return converged
	case v.keeps && v.settled:
		return unsettled
	case v.convex && !v.strict:
		return insist
	}
	return goOn
}

// view looks at the iteration.
func (r *run) view(it Iteration) view {
	return view{
		it: it, prev: r.prev, keeps: r.keeps(it), convex: r.sub.Convex() && !r.sub.Damped(), strict: r.course.strict,
		settled: r.course.settled(r.minimised(it.Objective), r.set.Tol), residual: r.sub.Res.Res.Max(),
		least: r.least(), restarts: mostRestarts - r.penalty.restarts,
		atPole:   len(r.sub.Domain) > 0 && r.keeps(it) && r.where.Pole(r.x, r.before, r.sub.Sizes),
		alongRay: r.course.looksFar(r.where.Distance(r.x)) && r.runsOff(),
	}
}

// decide does what stop says. It returns the end of the local search if that is one.
func (r *run) decide(v verdict, it *Iteration) outcome {
	note := r.recover.note
	switch v {
	case ray:
		return outcome{status: Unbounded, message: rayFound}
	case pole:
		return outcome{status: Unbounded, message: "the objective is minus infinity at a point that keeps the constraints"}
	case noNumber:
		return outcome{status: Numerical, message: fmt.Sprintf("the objective is %g at the last point", it.Objective)}
	case restart:
		r.restart()
	case converged, unsettled:
		if it.Feasible || r.retreat(it) {
			if v == unsettled {
				note = strings.TrimSpace("the objective does not settle any better than the backend solves the convex problems; " + note)
			}
			return outcome{status: Converged, message: note}
		}
		r.course.insist()
		r.penalty.idle, r.penalty.flat = 0, 0
	case insist:
		r.course.insist()
		r.penalty.idle, r.penalty.flat = 0, 0
	}
	return outcome{}
}

const rayFound = "the objective falls for ever along a direction that keeps the constraints; bound the variables"

// course is what the iterations so far tell of the objective, and what feasible means
// at present.
type course struct {
	low, high float64 // range of the objective over the feasible iterations
	span      float64 // what a change of the objective is relative to
	best      float64 // of all points, minimised
	anchor    float64 // best when it improved last
	idle      int     // feasible iterations since then
	strict    bool    // only FeasTol as it is makes a point feasible
	look      float64 // distance from the start at which a ray was looked for last
	far       bool    // the points run off
}

func newCourse() course { return course{low: math.Inf(1), high: math.Inf(-1)} }

// insist makes FeasTol as it is the only notion of feasible from now on; the convex
// problems are then solved in the distance from the last solution.
func (c *course) insist() {
	c.strict, c.idle = true, 0
	c.low, c.high = math.Inf(1), math.Inf(-1)
}

// longPatience bounds the iterations without a better point. Source: below it some
// packings of the benchmark stop early, above it nothing changes.
const longPatience = 20

// note takes an iteration in, with the range of the objective and its smallest span.
func (c *course) note(it Iteration, keeps bool, best, tol, least float64) {
	if keeps && subproblem.IsFinite(it.Objective) {
		c.low, c.high = min(c.low, it.Objective), max(c.high, it.Objective)
	}
	c.span = max(least, min(it.size, max(math.Abs(it.Objective), c.high-c.low)))
	c.best = best
	if !keeps {
		return
	}
	if c.idle == 0 || best < c.anchor-tol*c.span {
		c.anchor, c.idle = best, 0
	}
	c.idle++
}

// settled reports whether the best objective has not improved for many iterations
// although the points stay close to it: what is left is the backend's noise.
func (c *course) settled(objective, tol float64) bool {
	return c.idle > longPatience && objective <= c.best+100*tol*c.span
}

// looksFar reports whether the points are much further from the start than when it
// last did, and so far that a ray may prove the problem unbounded.
func (c *course) looksFar(distance float64) bool {
	if !(distance > max(diagnose.Far*diagnose.Far, 100*c.look)) {
		return false
	}
	c.look = distance
	return true
}

// least is the smallest change of the objective that counts.
func (r *run) least() float64 { return r.set.Tol * r.course.span }

// keeps reports whether the iteration's point keeps the constraints: relative to the
// size of their terms or, once the procedure has settled at such a point, as FeasTol
// says.
func (r *run) keeps(it Iteration) bool {
	return it.Feasible || !r.course.strict && it.Relative <= r.set.FeasTol
}

// retreat moves the iteration's point towards the best feasible one until it is
// feasible itself. It reports whether that has cost no more of the objective than what
// counts as no change; else nothing has changed.
func (r *run) retreat(it *Iteration) bool {
	if !r.res.Feasible {
		return false
	}
	y := make([]float64, len(r.x))
	for share := 1e-9; share < 1; share *= 10 {
		for j, v := range r.x {
			y[j] = v + share*(r.res.X[j]-v)
		}
		r.p.Pin(y)
		if f := r.p.Value(y); !(math.Abs(f-it.Objective) <= r.least()) {
			return false
		}
		if r.p.Feasible(y, r.set.FeasTol) {
			copy(r.x, y)
			r.measure(it, r.x)
			r.keep(*it)
			return true
		}
	}
	return false
}

// hopeless reports whether the run is far behind earlier starts and slow.
func (r *run) hopeless(it Iteration, m search.Move) bool {
	obj, before := r.minimised(it.Objective), r.minimised(r.prev.Objective)
	gap := obj - r.seed.bar
	return r.set.Search.GiveUp && m.Lost == nil && r.keeps(it) && r.keeps(r.prev) &&
		gap > slow*math.Abs(before-obj) && gap > 1e-2*max(r.course.span, math.Abs(r.seed.bar))
}

// giveUp ends the run as unbounded if it can only be that, else with the given
// status.
func (r *run) giveUp(s Status, why string) outcome {
	switch {
	case r.runsOff():
		return outcome{status: Unbounded, message: rayFound}
	case r.course.far:
		why = strings.TrimSpace("the points run off although no ray proves the problem unbounded; bound the variables; " + why)
	}
	return outcome{status: s, message: why}
}

// runsOff reports whether a ray from the best point proves the problem unbounded.
func (r *run) runsOff() bool {
	far := r.where.Distance(r.x)
	if !r.res.nearly || !(far > diagnose.Far) || math.IsInf(far, 1) {
		return false
	}
	r.course.far = far > diagnose.Far*diagnose.Far
	return r.where.RunsOff(r.res.X, r.before, far, r.res.Violation)
}

// obstacle says why the run has not converged yet.
func (r *run) obstacle() string {
	if !r.res.Feasible {
		v, where := r.p.Violation(r.res.X)
		return fmt.Sprintf("%s is broken by %.2g", where, v)
	}
	if n := len(r.res.History); n > 1 {
		last, before := r.res.History[n-1], r.res.History[n-2]
		return fmt.Sprintf("the objective still changes by %.2g per iteration", math.Abs(last.Objective-before.Objective))
	}
	return ""
}

func interrupted(err error) outcome {
	if errors.Is(err, context.DeadlineExceeded) {
		return outcome{status: TimeLimit}
	}
	return outcome{status: Cancelled}
}
