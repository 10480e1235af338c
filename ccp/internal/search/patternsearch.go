package search

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
)

// PatternSearch leaves points that are not at rest. A convex problem with terms far larger
// than the changes of the objective is solved to a share of these terms, and its
// solution need not lead on; values of the expressions as they are written do. It is a
// generating set search (Kolda, Lewis and Torczon 2003, section 3) over the coordinates:
// steps along each, longer ones after one that has gained, shorter ones where none does.
type PatternSearch struct {
	Around

	looked []float64 // the point at which it has looked last in vain
	decrease
	merit  *axisMerit
	axes   []axis  // by variable
	still  bool    // the point of the merit is where it was measured
	near   bool    // steps are as long as the variables' values, and may go on for ever towards 0
	best   float64 // the merit at the point of the search
	lo, hi float64 // the range of the objective over all points tried
	left   float64 // coefficients that may be visited
}

// decrease has the thresholds of the last look.
type decrease struct {
	noise float64 // the rounding error of the objective at its beginning: the least gain of a step
	least float64 // a decrease that counts
}

// axis is a coordinate.
type axis struct {
	step   float64    // at share 1
	lo, hi float64    // the range of the merit along it
	first  [2]float64 // the merits after the first steps, down and up
}

// The shares of a variable's range by which it is changed: the first, which is the largest,
// the smallest, and the factors between them.
const (
	// Source: docs/lab/ccp.md, Constants.
	leastShare = 0x1p-18
	// Source: docs/lab/ccp.md, Constants.
	shorter = 0x1p-3
	longer  = 4 // Source: docs/lab/ccp.md, Constants
	// Source: docs/lab/ccp.md, Constants.
	firstShare = 0x1p-1 // along a coordinate in one step, at most

	// vanishing is the share of the merit's range along a coordinate below which a
	// change is 0: some hundred roundings.
	// Source: docs/lab/ccp.md, Constants.
	vanishing = 0x1p-43

	// clearShare is the share of the objective's range over all points tried that a gain
	// counts with, however large the terms are that cancel or stay the same. Source: a tenth of
	// the mean slope along a hundredth of the way, by which internal/judge tells points
	// that are not at rest.
	clearShare = 1e-3

	compassWork = 4e7 // Source: docs/lab/ccp.md, Constants; coefficients visited in one look, at most
	// rounds along all coordinates that have to be affordable; derived: the first takes the
	// measure, and a step is to follow
	compassLooks = 2
	// Source: docs/lab/ccp.md, Constants; of these per unit of the work so far, which takes as long
	// as about 30
	compassShare = 8
)

// Improving is a jump from the best point where the search from there finds one whose objective is
// lower by more than its rounding error, and that breaks the constraints no more. It is slight
// where that is not more than counts beside the terms of the objective, or is no clear share of its
// range where that is small beside them.
func (c *PatternSearch) Improving(p *Point) (Move, bool) {
	if slices.Equal(c.looked, p.Best) {
		return Move{}, false
	}
	gain := c.from(p.Best)
	if gain <= c.noise {
		c.looked = append(c.looked[:0], p.Best...)
		return Move{}, false
	}
	slight := gain <= max(c.least, min(c.Tol*c.Size(p.Best), clearShare*(c.hi-c.lo)))
	return Move{X: slices.Clone(c.merit.x), Slight: slight}, true
}

// from searches from x and returns by how much the objective is lower at the end, rounding errors
// there aside. Constraints may be broken by no more than at x.
func (c *PatternSearch) from(x []float64) (gain float64) {
	c.merit = c.Values.of(c.Sub, c.broken(x))
	first, _ := c.merit.goTo(x, 0)
	if !num.Finite(first) {
		return 0
	}
	c.best = first
	c.lo, c.hi = c.merit.value, c.merit.value
	if c.left = min(compassWork, compassShare*c.Budget.Spent()); c.left < compassLooks*c.round(x) {
		return 0
	}
	most := c.left
	defer func() { c.Budget.Visited += most - c.left }()
	c.measure(x)
	size := c.Size(x)
	c.noise = c.Noise(x)
	c.least = max(c.Tol*min(size, c.hi-c.lo), c.noise)
	if c.shorten(); size >= vanishing*(c.hi-c.lo) { // its terms do not vanish
		if c.nearer(); slices.ContainsFunc(c.axes, func(a axis) bool { return a.step > 0 }) {
			c.shorten()
		}
	}
	if c.best == first {
		return 0
	}
	return first - c.best - c.Noise(c.merit.x)
}

// round is how many coefficients a step either way along each coordinate visits.
func (c *PatternSearch) round(x []float64) (visits float64) {
	for j := range x {
		try, _ := c.merit.visits(j)
		visits += 2 * try
	}
	return visits
}

// shorten sweeps with shorter and shorter steps.
func (c *PatternSearch) shorten() {
	for share := firstShare; share >= leastShare && c.left > 0; {
		if !c.sweep(share) {
			share *= shorter
		}
	}
}

// nearer makes the steps those of the variables' values, where their ranges are so much
// larger that the shortest steps are longer than the first ones here; the other variables stay.
func (c *PatternSearch) nearer() {
	c.still, c.near = false, true
	for j, v := range c.merit.x {
		a := axis{lo: c.best, hi: c.best}
		if leastShare*c.axes[j].step > firstShare*math.Abs(v) {
			a.step = math.Abs(v)
		}
		c.axes[j] = a
	}
}

// measure takes the ranges of the variables, and that of the merit over them.
func (c *PatternSearch) measure(x []float64) {
	c.axes, c.still, c.near = c.axes[:0], true, false
	for j, v := range x {
		c.axes = append(c.axes, axis{step: c.width(j, v), lo: c.best, hi: c.best})
	}
	for j := range c.axes {
		_, down := c.try(j, -firstShare)
		_, up := c.try(j, firstShare)
		c.axes[j].first = [2]float64{down, up}
	}
}

// sweep tries a step along each coordinate, and goes on along one that gains.
func (c *PatternSearch) sweep(share float64) (gained bool) {
	for j := range c.axes {
		for k, sign := range [2]float64{-1, 1} {
			by := sign * share
			if share == firstShare && c.still && !(c.axes[j].first[k] < c.best) {
				continue
			}
			v, φ := c.try(j, by)
			least := c.noise
			if c.near {
				least = max(least, vanishing*(c.axes[j].hi-c.axes[j].lo))
			}
			if !(φ < c.best-least) {
				continue
			}
			gained = true
			for φ < c.best-least {
				_, visits := c.merit.visits(j)
				c.left -= visits
				c.merit.move(j, v)
				c.best, c.still = φ, false
				if math.Abs(by) < firstShare {
					by *= longer
				}
				v, φ = c.try(j, by)
			}
			break
		}
	}
	return gained
}

// try is the merit where variable j changes by a share of its range, +Inf where that
// breaks constraints.
func (c *PatternSearch) try(j int, share float64) (v, φ float64) {
	x := c.merit.x[j]
	if c.Budget.ended() {
		c.left = 0
	}
	if v = min(max(x+share*c.axes[j].step, c.Lo[j]), c.Hi[j]); v == x || c.left <= 0 {
		return x, math.Inf(1)
	}
	visits, _ := c.merit.visits(j)
	c.left -= visits
	φ, _ = c.merit.try(j, v)
	if f := c.merit.value; num.Finite(f) {
		c.lo, c.hi = min(c.lo, f), max(c.hi, f)
	}
	if math.IsNaN(φ) {
		return x, math.Inf(1)
	}
	if num.Finite(φ) {
		a := &c.axes[j]
		a.lo, a.hi = min(a.lo, φ), max(a.hi, φ)
	}
	return v, φ
}
