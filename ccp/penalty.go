package ccp

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
)

// penalty is the schedule of τ, the weight of the slacks: the first convex problem
// puts the constraints first; if that leaves slacks open, τ begins small and grows
// while they stay open.
type penalty struct {
	τ           float64
	first, most float64 // τ₀ and τmax, in the problem's own scale
	growth      float64 // μ
	idle        int     // iterations at a point that is stuck
	flat        int     // iterations that left the slacks as they were
	restarts    int     // with a heavy τ
	bold        bool    // the iteration under way, the first, puts the constraints first
}

// The constants of the schedule beside τ₀, τmax and μ of Lipp and Boyd 2016, Algorithm
// 3.1. Source, unless said: ablation table of docs/ccp.md.
const (
	// boldTau is the first τ in multiples of the problem's own scale. Multipliers add
	// up to about 1 of that where the largest of many functions is minimised.
	boldTau = 1.5
	// nearTau is the first τ of a variation of a good point, in multiples of τ₀: the
	// rest is to stay in place.
	nearTau = 300
	// closing is the share of the slacks before that leaves τ as it is: they are on
	// the way to 0 by themselves.
	closing = 0.1
	// steady is the share of the slacks before above which they count as unchanged.
	steady = 1 - 1e-3
	// stuckGrowth is the growth of τ, beside μ, at a point that has not moved for
	// stuckPatience iterations: until τ outweighs the objective, nothing moves.
	stuckGrowth   = 5
	stuckPatience = 3
	// flatPatience bounds the iterations at τmax that leave the slacks as they were.
	flatPatience = 10
	// mostRestarts bounds the restarts of a run.
	mostRestarts = 5
)

func newPenalty(set Settings) penalty {
	return penalty{τ: set.Tau0, first: set.Tau0, most: set.TauMax, growth: set.Mu}
}

// scale makes τ₀ and τmax multiples of the slope of the objective over that of the
// constraints. near: the start is a variation of a good point.
func (s *penalty) scale(objective, constraint float64, near bool) {
	if !(objective > 0 && constraint > 0) {
		return
	}
	s.first, s.most = s.first*objective/constraint, s.most*objective/constraint
	bold := min(boldTau*objective/constraint, s.most)
	s.τ = s.first
	switch {
	case near:
		s.τ = min(nearTau*s.first, s.most)
	case s.τ < bold:
		s.τ, s.bold = bold, true
	}
}

// note counts iterations without progress.
func (s *penalty) note(stuck bool, slack, before float64) {
	if s.idle++; !stuck {
		s.idle = 0
	}
	if s.flat++; slack < steady*before {
		s.flat = 0
	}
}

// grow raises τ unless the slacks close by themselves.
func (s *penalty) grow(slack, before float64) {
	if slack <= closing*before {
		return
	}
	s.τ = min(s.growth*s.τ, s.most)
	if s.idle > stuckPatience {
		s.τ = min(stuckGrowth*s.τ, s.most)
	}
}

// again is τ for a restart, from a feasible point at least as heavy as the slopes
// there ask for.
func (s *penalty) again() { s.τ = math.Sqrt(s.first * s.most) }

func (s *penalty) heavier(objective, constraint float64) {
	if objective > 0 && constraint > 0 {
		s.τ = max(s.τ, math.Pow(10, float64(s.restarts))*objective/constraint)
		s.most = max(s.most, 100*s.τ)
	}
}

// stuck: the point has not moved, and does not keep the constraints.
func (r *run) stuck(it Iteration) bool { return !r.keeps(it) && it.moved <= r.set.Tol }

// update prepares the next iteration: it raises τ as long as slacks are open. A point
// that is stuck without slack waits for a sharper solver. One that is stuck at τmax
// sits at a kink, or was drawn there by the objective while τ was small: other tangents
// are tried, then other points with a τ that puts the constraints first.
func (r *run) update(ctx context.Context, it Iteration) (outcome, error) {
	s, stuck, open := &r.penalty, r.stuck(it), it.open > r.set.FeasTol
	s.note(stuck, it.Slack, r.prev.Slack)
	switch {
	case stuck && !open:
		if end, err := r.sharpen(ctx, &it); err != nil || end.over() {
			return end, err
		}
	case (stuck || open && s.flat > flatPatience) && s.τ >= s.most:
		z, ok := r.tangent.Untried(r.x, s.τ)
		switch {
		case ok: // a feasible point is all that counts
			copy(r.z, z)
		case s.restarts == mostRestarts:
			return outcome{status: Stalled, message: "the points have ceased to change although a constraint is broken; try other starting points"}, nil
		default:
			r.restart()
			it.Objective = math.NaN()
		}
	case !it.Feasible && open:
		s.grow(it.Slack, r.prev.Slack)
	}
	r.prev = it
	return outcome{}, nil
}

// sharpen asks the backend for more accuracy, as far as that goes.
func (r *run) sharpen(ctx context.Context, it *Iteration) (outcome, error) {
	c := &r.recover
	if c.tol <= tightest {
		if r.sub.Res.Res.Max() <= lastEnough && r.retreat(it) {
			return outcome{status: Converged, message: c.note}, nil
		}
		return outcome{status: Stalled, message: strings.TrimSpace("the backend does not meet the convex constraints any better; " + c.note)}, nil
	}
	c.tol = max(c.tol/100, tightest)
	r.sub.Close()
	return r.open(ctx)
}

// timid goes back to the start, with a small τ, from a first iteration that has put the
// constraints first and left slacks open. Where it has closed them all the tangents can
// be met together, and no later convex problem needs slacks: the descent is one among
// feasible points, and short.
func (r *run) timid(it Iteration) bool {
	bold := r.penalty.bold
	r.penalty.bold = false
	if !bold || it.open <= r.set.FeasTol {
		return false
	}
	copy(r.x, r.where.Start)
	copy(r.z, r.where.Start)
	r.penalty.τ = r.penalty.first
	r.prev = Iteration{Objective: math.NaN()}
	return true
}

// restart goes back to the best point that keeps the constraints if there is one, else
// to the start, then to points beside it, further each time.
func (r *run) restart() {
	s := &r.penalty
	s.restarts++
	copy(r.x, r.where.Start)
	switch {
	case r.res.nearly: // from there it can stay so
		copy(r.x, r.res.X)
	case s.restarts > 1:
		r.wander()
	}
	copy(r.z, r.x)
	s.again()
	if r.res.nearly && r.sub.Linearise(r.z, s.τ) == nil {
		s.heavier(r.sub.Slopes(r.z)) // the slopes here may be others than those of the start
	}
	r.ahead.Reset()
	r.course.strict = false
	r.tangent.Reset()
}

// looks are the points that wander compares.
const looks = 50

// wander moves x from the start to the point that breaks the DC constraints least among
// some beside it, further each time. Where their h is flat, as that of max(0, ·) on one
// side, tangents do not lead anywhere, but values do.
func (r *run) wander() {
	rng := rand.New(rand.NewPCG(r.set.Seed, 0x6167+uint64(r.penalty.restarts))) // the second word names the stream
	reach := 0.1 * math.Pow(4, float64(r.penalty.restarts-2))
	least, y := math.Inf(1), make([]float64, len(r.x))
	for range looks {
		for j, v := range r.where.Start {
			y[j] = v + reach*max(r.sub.Units[j], math.Abs(v))*rng.NormFloat64()
			y[j] = min(max(y[j], r.where.Lo[j]), r.where.Hi[j])
		}
		if open, _ := r.sub.Gaps(y); open < least && r.sub.Inside(y) {
			least = open
			copy(r.x, y)
		}
	}
}
