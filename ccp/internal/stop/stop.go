package stop

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
)

// View has the numbers by which Decide decides.
type View struct {
	Objective, Before float64 // of the iteration and of the one before
	Keeps             bool    // the point keeps the constraints, in the sense of Course
	Convex            bool    // there is nothing to linearise, and no proximal term
	Strict            bool    // only FeasTol as it is makes a point feasible
	Settled           bool    // the best objective has not improved for long
	AtPole            bool    // the objective is minus infinity next to the point
	AlongRay          bool    // it falls for ever along a ray
	Residual          float64 // of the backend's solution
	Least             float64 // the smallest change of the objective that counts
	Switched          bool    // the least items of a sum were others than in the iteration before
	Restarts          int     // that are left
	Misfit            bool    // a convex problem was solved in units far above its solution, and may be solved again
	// A feasible point was found at rest with the usual accuracy of the backend, which was then
	// asked for more.
	Sharpened bool
	Below     bool // the objective of a convex problem is below all that a backend tells from 0, while the point moves
	Gap       Gap  // of a convex problem
	Known     bool // a point keeps the constraints
	Sharpest  bool // more accuracy than the last time is not to be had
	// the point is feasible, the backend's accuracy leaves more of the objective open than counts,
	// and it may be asked for more
	Coarse  bool
	Held    bool // of a point at rest of a problem that is not convex: the multipliers hold it
	Patient bool // one that they do not hold is left only where nothing has improved for long
}

// Gap is how far the objective of a convex problem may be above its least value nearby.
type Gap struct {
	Open  float64
	Least float64 // the bound, from below
	Tol   float64 // so much of it counts as none
	// and so much may be left where the backend solves the problem no better: a hundred times Tol,
	// as in Settled
	LooseTol float64
	Unit     float64 // of the objective in the first solver
	Proved   bool    // the distance that is open does not count beside the terms of the objective
}

// Verdict is the decision of Decide.
type Verdict uint8

const (
	GoOn      Verdict = iota
	Converged         // the point is feasible as Course has it, and the objective has ceased to change
	Unsettled         // the same, but for the noise of the backend
	Adrift            // the objective has ceased to change at a point that multipliers do not hold
	Insist            // the point of a convex problem is to be found more exactly
	Refit             // a convex problem is to be solved in the units of its solution
	Sharper           // the backend is to be asked for more accuracy
	Restart           // the objective is not finite
	NoNumber          // the same, and no restart is left
	Unproven          // of a convex problem, and nothing is left to try
	Pole
	Ray
)

// Enough is the residual up to which a backend's unfinished answer is a last point. Source: larger
// values change the answers of admm on the test set, smaller ones the number of failures.
const Enough = 1e-4

// still reports whether the objective has changed by no more than counts.
func (v *View) still() bool {
	return math.Abs(v.Objective-v.Before) <= v.Least && !v.Switched
}

// Rests reports whether the objective has ceased to change at a point that keeps the constraints.
func (v *View) Rests() bool { return v.Keeps && (v.still() || v.Settled) && v.Residual <= Enough }

// Decide decides whether an iteration was the last of a local search.
func Decide(v View) Verdict {
	switch {
	case v.AlongRay:
		return Ray
	case v.AtPole:
		return Pole
	case !num.Finite(v.Objective) && v.Restarts > 0:
		return Restart
	case !num.Finite(v.Objective):
		return NoNumber
	case v.Convex:
		return decideConvex(v)
	case v.Rests() && v.still() && v.Coarse:
		return Sharper
	case v.Rests() && v.still() && v.Held:
		return Converged
	case v.Rests() && v.Settled && v.Held:
		return Unsettled
	case v.Rests() && (!v.Patient || v.Settled || v.Objective == v.Before):
		return Adrift
	}
	return GoOn
}

// decideConvex is Decide for a problem with nothing to linearise: its point is the minimum where
// a bound from the multipliers says so, and nowhere else.
func decideConvex(v View) Verdict {
	switch {
	case v.Misfit && !v.still() || v.Below:
		return Refit
	case v.Known && v.Gap.Open <= v.Gap.Tol:
		return Converged
	case v.Keeps && !v.Sharpest:
		return Sharper
	case v.Known && v.Gap.Open <= v.Gap.LooseTol:
		return Converged
	case !v.Strict:
		return Insist
	case v.Known:
		return Unproven
	}
	return GoOn
}

// Progress has the range of the objective over the iterations so far, and the meaning of
// feasible from now on.
type Progress struct {
	low, high float64 // range of the objective over the feasible iterations
	Span      float64 // the size to which a change of the objective is relative
	least     float64 // the smallest such size
	best      float64 // of all points, minimised
	noise     float64 // a bound of the rounding error of the objective
	anchor    float64 // best when it improved last
	idle      int     // feasible iterations since then
	Strict    bool    // only FeasTol as it is makes a point feasible
	Sharpened bool    // the backend was asked for more accuracy where a feasible point was at rest
	look      float64 // distance from the start at which a ray was looked for last
	Refits    int     // how often a convex problem was solved in other units
}

// NewCourse is that before the first iteration.
func NewCourse() Progress { return Progress{low: math.Inf(1), high: math.Inf(-1)} }

// MostRescalings bounds how often a convex problem is solved in other units. Source: derived: each
// is smaller by the accuracy of a backend, 1e-8 or so, or the exponent of the objective is about
// halved: sixteen lead from 1e128, and from the largest number, to 1.
const MostRescalings = 16

// RequireAbsolute makes FeasTol as it is the only notion of feasible from now on; the convex
// problems are then solved in the distance from the last solution.
func (c *Progress) RequireAbsolute() {
	c.Strict, c.idle = true, 0
	c.low, c.high = math.Inf(1), math.Inf(-1)
}

// patience bounds the iterations without a better point. Source: below it some packings of the
// benchmark stop early, above it nothing changes.
const patience = 20

// Value is the objective of an iteration.
type Value struct {
	Objective   float64
	Size, Noise float64 // of its terms, and a bound of its rounding error
}

// Note takes an iteration in, with the range of the objective and its smallest span.
func (c *Progress) Note(at Value, keeps bool, best, tol, least float64) {
	if keeps && num.Finite(at.Objective) {
		c.low, c.high = min(c.low, at.Objective), max(c.high, at.Objective)
	}
	c.least = least
	c.Span = max(least, c.span(at))
	c.best, c.noise = best, at.Noise
	if !keeps {
		return
	}
	if c.idle == 0 || best < c.anchor-max(tol*c.Span, at.Noise) {
		c.anchor, c.idle = best, 0
	}
	c.idle++
}

func (c *Progress) span(at Value) float64 {
	return min(at.Size, max(math.Abs(at.Objective), c.Range()))
}

// SpanAt is the size to which a change of the objective is relative at a point around which it
// varies by so much: where a backend tells no less from 0 it says nothing.
func (c *Progress) SpanAt(at Value, varies func() float64) float64 {
	if span := c.span(at); c.least <= span || c.least > varies() {
		return span
	}
	return c.least
}

// Range is the range of the objective over the feasible iterations, −Inf where there was none.
func (c *Progress) Range() float64 { return c.high - c.low }

// Again forgets the iterations without a better point, for another descent.
func (c *Progress) Again() { c.idle, c.Strict, c.Sharpened = 0, false, false }

// Stagnated reports whether the best objective has not improved for many iterations
// although the points stay close to it: the rest is the backend's noise.
func (c *Progress) Stagnated(objective, tol float64) bool {
	return c.idle > patience && objective <= c.best+max(100*tol*c.Span, c.noise)
}

// LooksFar reports whether the points are much further from the start than when a ray was looked
// for last, and beyond far, where one may prove the problem unbounded.
func (c *Progress) LooksFar(distance, far float64) bool { return distance > max(far, 100*c.look) }

// Looked tells that a ray was looked for at a distance from the start; 0: it was not.
func (c *Progress) Looked(distance float64) { c.look = max(c.look, distance) }
