package ccp

import (
	"math"
)

// penalty is the schedule of τ, the weight of the slacks: the first convex problem of the
// first start puts the constraints first; if that leaves slacks open, τ begins small
// and grows while they stay open.
type penalty struct {
	τ           float64
	first, most float64 // τ₀ and τmax, in the problem's own scale
	unit        float64 // that scale
	growth      float64 // μ
	idle        int     // iterations at a point that is stuck
	flat        int     // iterations in which the slacks have not fallen below low
	low         float64 // the least slacks with this τ
	restarts    int     // with a heavy τ
	heavy       float64 // the τ that puts the constraints first
	turns       int     // to the other side of constraints
	slacksFirst bool    // the iteration under way, the first, puts the constraints first
}

// The constants of the schedule beside τ₀, τmax and μ of Lipp and Boyd 2016, Algorithm
// 3.1. Source: docs/ccp.md, Constants, and its ablation table.
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
	// mostRestarts bounds the restarts of a run, mostTurns its turns.
	mostRestarts = 5
	mostTurns    = 10
)

func newPenalty(set Settings) penalty {
	return penalty{heavy: math.Inf(1), unit: 1, τ: set.Tau0, first: set.Tau0, most: set.TauMax, growth: set.Mu}
}

// scale makes τ₀ and τmax multiples of the slope of the objective over that of the
// constraints. share is how far τ begins on the way from τ₀ to where the constraints
// come first, in logarithms: at τ₀ the first step forgets the point that it begins at,
// at 1 the objective. 0: the constraints come first unless that leaves slacks open.
func (s *penalty) scale(objective, constraint, share float64) {
	if !(objective > 0 && constraint > 0) {
		return
	}
	s.unit = objective / constraint
	s.first, s.most = s.first*s.unit, s.most*s.unit
	heavy := min(heavyTau*s.unit, s.most)
	s.τ, s.heavy = s.first, heavy
	switch {
	case s.τ >= heavy:
	case share > 0:
		s.τ = s.first * math.Pow(heavy/s.first, share)
	default:
		s.τ, s.slacksFirst = heavy, true
	}
}

// note counts iterations without progress.
func (s *penalty) note(stuck bool, slack float64) {
	if s.idle++; !stuck {
		s.idle = 0
	}
	if s.flat++; slack < steady*s.low || s.low == 0 {
		s.low, s.flat = slack, 0
	}
}

// grow raises τ unless the slacks close by themselves.
func (s *penalty) grow(slack, before float64) {
	if slack <= closing*before {
		return
	}
	τ := s.τ
	s.τ = min(s.growth*s.τ, s.most)
	if s.idle > stuckPatience {
		s.τ = min(stuckGrowth*s.τ, s.most)
	}
	if s.τ > τ {
		s.low = 0
	}
}

// again is τ for a restart, from a feasible point at least as heavy as the slopes
// there ask for.
func (s *penalty) again() { s.τ, s.low = math.Sqrt(s.first*s.most), 0 }

func (s *penalty) heavier(objective, constraint float64) {
	if objective > 0 && constraint > 0 {
		s.τ = max(s.τ, math.Pow(10, float64(s.restarts))*objective/constraint)
		s.most = max(s.most, 100*s.τ)
	}
}
