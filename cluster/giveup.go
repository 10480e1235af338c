package cluster

import (
	"math"

	"github.com/dcopt/dcopt/ccp"
)

// slow and behind say which starts are given up: so many decreases such as the last are not
// enough to reach the best, behind which the start is by more than this share of its size.
// Source: table of docs/lab/ccp.md, which ends a fifth of the iterations; the rule is off unless
// asked for.
const (
	slow   = 50
	behind = 1e-2
)

// giveUp ends a start that is far behind the best one of the whole fleet and falls too
// slowly to reach it.
type giveUp struct {
	leader  func() (leader, bool)
	maximum bool

	started bool
	start   int
	before  float64
	lo, hi  float64
}

// Record implements ccp.Recorder.
func (g *giveUp) Record(it ccp.Iteration) error {
	obj := it.Objective
	if g.maximum {
		obj = -obj
	}
	if !it.Feasible {
		g.started = false
		return nil
	}
	if !g.started || g.start != it.Start {
		g.started, g.start, g.before, g.lo, g.hi = true, it.Start, obj, obj, obj
		return nil
	}
	g.lo, g.hi = min(g.lo, obj), max(g.hi, obj)
	fall := math.Abs(g.before - obj)
	g.before = obj
	l, ok := g.leader()
	if !ok {
		return nil
	}
	best := l.Objective
	if g.maximum {
		best = -best
	}
	gap := obj - best
	if gap > slow*fall && gap > behind*max(g.hi-g.lo, l.Size, math.Abs(best)) {
		return ccp.ErrStop
	}
	return nil
}
