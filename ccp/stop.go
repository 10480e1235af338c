package ccp

import (
	"math"

	"github.com/dcopt/dcopt/ccp/internal/diagnose"
	"github.com/dcopt/dcopt/internal/num"
)

// view has the numbers by which stop decides.
type view struct {
	it, prev Iteration
	keeps    bool    // the point keeps the constraints, in the sense of course
	convex   bool    // there is nothing to linearise, and no proximal term
	strict   bool    // only FeasTol as it is makes a point feasible
	settled  bool    // the best objective has not improved for long
	atPole   bool    // the objective is minus infinity next to the point
	alongRay bool    // it falls for ever along a ray
	residual float64 // of the backend's solution
	least    float64 // the smallest change of the objective that counts
	switched bool    // the least items of a sum were others than in the iteration before
	noise    float64 // the rounding errors of the two objectives
	blurred  bool    // the best objective has not fallen by more than its rounding error for some iterations
	restarts int     // that are left
	misfit   bool    // a convex problem was solved in units far above its solution, and may be solved again
	// A feasible point was found at rest with the usual accuracy of the backend, which was then asked for more.
	sharpened bool
	below     bool // the objective of a convex problem is below all that a backend tells from 0, while the point moves
	gap       gap  // of a convex problem
	known     bool // a point keeps the constraints
	sharpest  bool // more accuracy than the last time is not to be had
	coarse    bool // the point is feasible, the backend's accuracy leaves more of the objective open than counts, and it may be asked for more
}

// gap is how far the objective of a convex problem may be above its least value nearby.
type gap struct {
	open   float64
	least  float64 // the bound, from below
	closed float64 // how much of that counts as nothing
	ajar   float64 // and how much may be left where the backend solves the problem no better: a hundred times as much, as in settled
	unit   float64 // of the objective in the first solver
	proved bool    // the distance that is open does not count beside the terms of the objective
}

// verdict is the decision of stop.
type verdict uint8

const (
	goOn      verdict = iota
	converged         // the point is feasible as course has it, and the objective has ceased to change
	unsettled         // the same, but for the noise of the backend
	insist            // the point of a convex problem is to be found more exactly
	refit             // a convex problem is to be solved in the units of its solution
	sharper           // the backend is to be asked for more accuracy
	restart           // the objective is not finite
	noNumber          // the same, and no restart is left
	unproven          // of a convex problem, and nothing is left to try
	pole
	ray
)

// stop decides whether an iteration was the last of a local search.
func stop(v view) verdict {
	change := math.Abs(v.it.Objective - v.prev.Objective)
	still := (change <= v.least || v.blurred && change <= v.noise) && !v.switched
	switch {
	case v.alongRay:
		return ray
	case v.atPole:
		return pole
	case !num.Finite(v.it.Objective) && v.restarts > 0:
		return restart
	case !num.Finite(v.it.Objective):
		return noNumber
	case v.convex:
		return stopConvex(v, still)
	case v.keeps && still && v.residual <= lastEnough && v.coarse:
		return sharper
	case v.keeps && still && v.residual <= lastEnough:
		return converged
	case v.keeps && v.settled && v.residual <= lastEnough:
		return unsettled
	}
	return goOn
}

// stopConvex is stop for a problem with nothing to linearise: its point is the minimum where
// a bound from the multipliers says so, and nowhere else.
func stopConvex(v view, still bool) verdict {
	switch {
	case v.misfit && !still || v.below:
		return refit
	case v.known && v.gap.open <= v.gap.closed:
		return converged
	case v.keeps && !v.sharpest:
		return sharper
	case v.known && v.gap.open <= v.gap.ajar:
		return converged
	case !v.strict:
		return insist
	case v.known:
		return unproven
	}
	return goOn
}

// course has the range of the objective over the iterations so far, and the meaning of
// feasible from now on.
type course struct {
	low, high float64 // range of the objective over the feasible iterations
	span      float64 // the size to which a change of the objective is relative
	best      float64 // of all points, minimised
	noise     float64 // a bound of the rounding error of the objective
	anchor    float64 // best when it improved last
	idle      int     // feasible iterations since then
	strict    bool    // only FeasTol as it is makes a point feasible
	sharpened bool    // the backend was asked for more accuracy where a feasible point was at rest
	look      float64 // distance from the start at which a ray was looked for last
	far       bool    // the points run off
	refits    int     // how often a convex problem was solved in other units
}

func newCourse() course { return course{low: math.Inf(1), high: math.Inf(-1)} }

// mostRefits bounds how often a convex problem is solved in other units. Source: derived: each is
// smaller by the accuracy of a backend, 1e-8 or so, or the exponent of the objective is
// about halved: sixteen lead from 1e128, and from the largest number, to 1.
const mostRefits = 16

// insist makes FeasTol as it is the only notion of feasible from now on; the convex
// problems are then solved in the distance from the last solution.
func (c *course) insist() {
	c.strict, c.idle = true, 0
	c.low, c.high = math.Inf(1), math.Inf(-1)
}

// longPatience bounds the iterations without a better point. Source: below it some
// packings of the benchmark stop early, above it nothing changes. shortPatience bounds
// those in which the objective changes within its rounding error: two such changes in a
// row may be steps of a descent whose sum counts.
const longPatience, shortPatience = 20, 3

// note takes an iteration in, with the range of the objective and its smallest span.
func (c *course) note(it Iteration, keeps bool, best, tol, least float64) {
	if keeps && num.Finite(it.Objective) {
		c.low, c.high = min(c.low, it.Objective), max(c.high, it.Objective)
	}
	c.span = max(least, min(it.size, max(math.Abs(it.Objective), c.high-c.low)))
	c.best, c.noise = best, it.noise
	if !keeps {
		return
	}
	if c.idle == 0 || best < c.anchor-max(tol*c.span, it.noise) {
		c.anchor, c.idle = best, 0
	}
	c.idle++
}

// settled reports whether the best objective has not improved for many iterations
// although the points stay close to it: the rest is the backend's noise.
func (c *course) settled(objective, tol float64) bool {
	return c.idle > longPatience && objective <= c.best+max(100*tol*c.span, c.noise)
}

// blurred reports whether the best objective has not fallen for some iterations by more
// than its rounding error.
func (c *course) blurred() bool { return c.idle > shortPatience }

// looksFar reports whether the points are much further from the start than when it
// last did, and so far that a ray may prove the problem unbounded.
func (c *course) looksFar(distance float64) bool {
	if !(distance > max(diagnose.Far*diagnose.Far, 100*c.look)) {
		return false
	}
	c.look = distance
	return true
}
