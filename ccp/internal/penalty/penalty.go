package penalty

import "math"

// Schedule is τ and the counts by which it grows.
type Schedule struct {
	Tau         float64 // τ
	First, Most float64 // τ₀ and τmax, in the problem's own scale
	Unit        float64 // that scale
	SlacksFirst bool    // the iteration under way, the first, puts the constraints first
	Restarts    int     // with a heavy τ
	Turns       int     // to the other side of constraints

	growth float64 // μ
	idle   int     // iterations at a point that is stuck
	flat   int     // iterations in which the slacks have not fallen below low
	low    float64 // the least slacks with this τ
	heavy  float64 // the τ that puts the constraints first
}

// The constants of the schedule beside τ₀, τmax and μ of Lipp and Boyd 2016, Algorithm
// 3.1. Source: docs/lab/ccp.md, Constants, and its ablation table.
const (
	// heavyTau is the first τ in multiples of the problem's own scale. Multipliers add
	// up to about 1 of that where the largest of many functions is minimised.
	heavyTau = 1.5
	// closing is the share of the slacks before that leaves τ as it is: they are on
	// the way to 0 by themselves.
	closing = 0.1
	// steady is the share of the least slacks above which they count as unchanged.
	steady = 1 - 1e-3
	// stuckGrowth is the growth of τ, beside μ, at a point that has not moved for
	// stuckPatience iterations: until τ outweighs the objective, nothing moves.
	stuckGrowth   = 5
	stuckPatience = 3
	// flatPatience bounds the iterations at τmax in which the slacks do not fall.
	flatPatience = 10
	// MostRestarts bounds the restarts of a run, mostTurns its turns.
	MostRestarts = 5
	mostTurns    = 10
)

// New begins at tau0 and ends at most; growth is μ.
func New(tau0, most, growth float64) Schedule {
	return Schedule{heavy: math.Inf(1), Unit: 1, Tau: tau0, First: tau0, Most: most, growth: growth}
}

// Scale makes τ₀ and τmax multiples of the slope of the objective over that of the
// constraints. share is how far τ begins on the way from τ₀ to where the constraints
// come first, in logarithms: at τ₀ the first step forgets the point that it begins at,
// at 1 the objective. 0: the constraints come first unless that leaves slacks open.
func (s *Schedule) Scale(objective, constraint, share float64) {
	if !(objective > 0 && constraint > 0) {
		return
	}
	s.Unit = objective / constraint
	s.First, s.Most = s.First*s.Unit, s.Most*s.Unit
	heavy := min(heavyTau*s.Unit, s.Most)
	s.Tau, s.heavy = s.First, heavy
	switch {
	case s.Tau >= heavy:
	case share > 0:
		s.Tau = s.First * math.Pow(heavy/s.First, share)
	default:
		s.Tau, s.SlacksFirst = heavy, true
	}
}

// Note counts iterations without progress.
func (s *Schedule) Note(stuck bool, slack float64) {
	if s.idle++; !stuck {
		s.idle = 0
	}
	if s.flat++; slack < steady*s.low || s.low == 0 {
		s.low, s.flat = slack, 0
	}
}

// Recount counts iterations without progress from 0.
func (s *Schedule) Recount() { s.idle, s.flat = 0, 0 }

// Grow raises τ unless the slacks close by themselves.
func (s *Schedule) Grow(slack, before float64) {
	if slack <= closing*before {
		return
	}
	τ := s.Tau
	s.Tau = min(s.growth*s.Tau, s.Most)
	if s.idle > stuckPatience {
		s.Tau = min(stuckGrowth*s.Tau, s.Most)
	}
	if s.Tau > τ {
		s.low = 0
	}
}

// Raise multiplies τ by ten where an unbounded convex problem may be due to cheap slacks,
// and reports whether there was room.
func (s *Schedule) Raise() bool {
	if s.Tau >= s.Most {
		return false
	}
	s.Tau = min(10*s.Tau, s.Most)
	return true
}

// MayTurn reports whether the slacks stay open, at a point that is stuck or for some iterations,
// although τ puts the constraints first, and a turn is left.
func (s *Schedule) MayTurn(stuck bool) bool {
	return (stuck || s.flat > stuckPatience) && s.Tau >= s.heavy && s.Turns < mostTurns
}

// Turned counts a turn.
func (s *Schedule) Turned() {
	s.Turns++
	s.flat = 0
}

// Exhausted reports whether τ is as large as it gets, at a point that is stuck or where open
// slacks have not fallen for long.
func (s *Schedule) Exhausted(stuck, open bool) bool {
	return (stuck || open && s.flat > flatPatience) && s.Tau >= s.Most
}

// Again is τ for a restart.
func (s *Schedule) Again() { s.Tau, s.low = math.Sqrt(s.First*s.Most), 0 }

// Firm is τ, and at least that of a first convex problem that puts the constraints first.
func (s *Schedule) Firm() float64 { return max(s.Tau, heavyTau*s.Unit) }
