package ccp

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
)

// stuck: the point has not moved, and is not feasible.
func (r *run) stuck(it Iteration) bool {
	return !r.keeps(it) && it.moved <= r.set.Tol
}

// update prepares the next iteration: it raises τ as long as slacks are open.
// A point that is stuck without slack waits for a sharper solver. One that is
// stuck at the largest τ sits at a kink, or was drawn there by the objective
// while τ was small: other tangents are tried, then other points with a τ that
// puts the constraints first. It returns false where there is nothing left to
// try.
func (r *run) update(ctx context.Context, it Iteration) (bool, error) {
	open := it.open > r.set.FeasTol
	if r.idle++; !r.stuck(it) {
		r.idle = 0
	}
	if r.flat++; it.Slack < (1-1e-3)*r.prev.Slack {
		r.flat = 0
	}
	switch {
	case r.stuck(it) && !open:
		if r.tol <= tightest && r.sub.Res.Res.Max() <= lastEnough && r.retreat(&it) {
			r.stop(Converged, r.note)
			return false, nil
		}
		if r.tol <= tightest {
			r.stop(Stalled, strings.TrimSpace("the backend does not meet the convex constraints any better; "+r.note))
			return false, nil
		}
		r.tol = max(r.tol/100, tightest)
		r.sub.Close()
		if err := r.open(ctx); err != nil {
			return false, err
		}
	case (r.stuck(it) || open && r.flat > flatPatience) && r.τ >= r.τMax:
		switch {
		case r.leave():
			r.esc.on = false // a feasible point is all that counts
		case r.again == attempts:
			r.stop(Stalled, "the points have ceased to change although a constraint is broken; try other starting points")
			return false, nil
		default:
			r.startAgain()
			it.Objective = math.NaN()
		}
	case !it.Feasible && open && it.Slack > closing*r.prev.Slack:
		r.τ = min(r.set.Mu*r.τ, r.τMax)
		if r.idle > stuckPatience { // until τ outweighs the objective, nothing moves
			r.τ = min(stuckGrowth*r.τ, r.τMax)
		}
	}
	r.prev = it
	return true, nil
}

// boldτ is the first τ, in multiples of the problem's own scale: multipliers add
// up to about 1 of that where the largest of many functions is minimised.
const boldτ = 1.5

// timid goes back to the start, with a small τ, from a first iteration that has
// put the constraints first and left slacks open. Where it has closed them all
// the tangents can be met together, and no later convex problem needs slacks: the
// descent is one among feasible points, and short.
func (r *run) timid(it Iteration) bool {
	if !r.bold {
		return false
	}
	r.bold = false
	if it.open <= r.set.FeasTol {
		return false
	}
	copy(r.x, r.x0)
	copy(r.z, r.x0)
	r.τ = r.τ0
	r.prev = Iteration{Objective: math.NaN()}
	return true
}

// closing is the share of the slacks before that leaves τ as it is: they are on
// the way to 0 by themselves.
const closing = 0.1

// stuckGrowth is the growth of τ, beside Settings.Mu, at a point that has not
// moved for stuckPatience iterations.
const (
	stuckGrowth   = 5
	stuckPatience = 3
	flatPatience  = 10 // iterations at the largest τ that leave the slacks as they were
)

// attempts bounds those after the first.
const attempts = 5

// wander moves x from the start to the point that breaks the DC constraints
// least among some beside it, further each time. Where their h is flat, as
// that of max(0, ·) on one side, tangents do not lead anywhere, but values do.
func (r *run) wander() {
	rng := rand.New(rand.NewPCG(r.set.Seed, 0x6167+uint64(r.again))) // the second word is arbitrary and fixed
	reach := 0.1 * math.Pow(4, float64(r.again-2))
	least, y := math.Inf(1), make([]float64, len(r.x))
	for range looks {
		for j, v := range r.x0 {
			y[j] = v + reach*max(r.sub.Units[j], math.Abs(v))*rng.NormFloat64()
			y[j] = min(max(y[j], r.lo[j]), r.hi[j])
		}
		if open, _ := r.sub.Gaps(y); open < least && r.sub.Inside(y) {
			least = open
			copy(r.x, y)
		}
	}
}

// looks are the points that wander compares.
const looks = 50

// startAgain goes back to the best feasible point if there is one, else to the
// start, then to points beside it, further each time.
func (r *run) startAgain() {
	r.again++
	copy(r.x, r.x0)
	switch {
	case r.res.nearly: // from there it can stay so
		copy(r.x, r.res.X)
	case r.again > 1:
		r.wander()
	}
	copy(r.z, r.x)
	r.τ = math.Sqrt(r.τ0 * r.τMax)
	if r.res.nearly && r.sub.Linearise(r.z, r.τ) == nil {
		// The slopes here may be others than those that gave τ its scale.
		if obj, con := r.sub.Slopes(r.z); obj > 0 && con > 0 {
			r.τ = max(r.τ, math.Pow(10, float64(r.again))*obj/con)
			r.τMax = max(r.τMax, 100*r.τ)
		}
	}
	r.inertia.count, r.strict = 0, false
	r.esc.tries, r.esc.tried = 0, r.esc.tried[:0]
}
