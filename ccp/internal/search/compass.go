package search

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
)

// Compass leaves points that are not at rest. A convex problem with terms far larger
// than the changes of the objective is solved to a share of these terms, and its
// solution need not lead on; values of the expressions as they are written do. It is a
// generating set search (Kolda, Lewis and Torczon 2003, section 3) over the coordinates:
// steps along each, longer ones after one that has gained, shorter ones where none does.
type Compass struct {
	Around
	Most  int                       // moves of a run
	Tol   float64                   // of the objective's terms, or of its range if that is less
	Noise func(x []float64) float64 // bounds the rounding error of the objective at x

	moves  int
	looked []float64 // the point at which it has looked last
	gain   float64   // by which the merit was lower at the end of that look
	probe  *probe
	step   []float64 // of each variable, at share 1
	best   float64   // the merit at the probe's point
	open   float64   // the violations that are allowed
	lo, hi float64   // the range of the merit over all points that keep the constraints
	least  float64   // a decrease that counts
	left   float64   // coefficients that may be visited
}

// The shares of a variable's range by which it is changed: the first, the smallest, and
// the factor between them. The largest keeps a longer step within the range.
const (
	firstShare = 0x1p-6
	leastShare = 0x1p-18
	shorter    = 0x1p-3
	longer     = 4
	mostShare  = 0x1p-1

	// vanishing is the share of the merit's range below which terms are 0: some hundred
	// roundings.
	vanishing = 0x1p-43

	compassWork  = 4e7 // coefficients visited in one look, at most
	compassShare = 8   // of these per entry of the convex problem and iteration of the backend so far, which takes as long as about 30
)

// Next is a jump to the point where the search ends, if it has found a better one.
func (c *Compass) Next(p *Point) (Move, bool) {
	if c.moves >= c.Most {
		return Move{}, false
	}
	if c.look(p); !(c.gain > c.least) {
		return Move{}, false
	}
	c.moves++
	x := slices.Clone(c.probe.point())
	return Move{X: x, Z: x, Restart: Jump}, true
}

// Rests reports whether the search finds no point whose merit is below that of the best
// one by more than counts beside the terms of the objective.
func (c *Compass) Rests(p *Point) bool {
	if c.Most == 0 {
		return true
	}
	c.look(p)
	return !(c.gain > max(c.least, c.Tol*c.Sub.DC.ObjectiveSize(p.Best)))
}

// look searches from the best point, if it has not done so before.
func (c *Compass) look(p *Point) {
	if slices.Equal(c.looked, p.Best) {
		return
	}
	c.looked, c.gain = append(c.looked[:0], p.Best...), 0
	if c.probe == nil {
		c.probe = newProbe(c.Sub, c.Slip)
	}
	c.probe.slip = 0 // violation of the convex constraints at the point, no other may break more
	for _, k := range c.Sub.Hard {
		c.probe.slip = max(c.probe.slip, c.Sub.DC.RelativeViolation(k, p.Best))
	}
	first, open := c.probe.goTo(p.Best, p.Tau)
	if !num.Finite(first) {
		return
	}
	c.best, c.open, c.lo, c.hi = first, open, first, first
	c.left = min(compassWork, compassShare*float64(c.Budget.Work)*c.Sub.Entries())
	c.measure(p.Best)
	c.least = max(c.Tol*min(c.Sub.DC.ObjectiveSize(p.Best), c.hi-c.lo), vanishing*(c.hi-c.lo), c.Noise(p.Best))
	for share := firstShare; share >= leastShare && c.left > 0; {
		if !c.sweep(share) {
			share *= shorter
		}
	}
	c.gain = first - c.best
}

// Ended does nothing: a better point counts.
func (c *Compass) Ended(Outcome) {}

// measure takes the ranges of the variables, and that of the merit over them.
func (c *Compass) measure(x []float64) {
	c.step = c.step[:0]
	for j, v := range x {
		w := c.Hi[j] - c.Lo[j]
		if math.IsInf(w, 1) {
			w = max(c.Sub.Size(j), math.Abs(v))
		}
		c.step = append(c.step, w)
	}
	for j := range x {
		for _, sign := range [2]float64{-1, 1} {
			c.try(j, sign*mostShare)
		}
	}
}

// sweep tries a step along each coordinate, and goes on along one that gains.
func (c *Compass) sweep(share float64) (gained bool) {
	for j := range c.step {
		for _, sign := range [2]float64{-1, 1} {
			by := sign * share
			v, φ := c.try(j, by)
			if !(φ < c.best-c.least) {
				continue
			}
			gained = true
			for φ < c.best-c.least {
				_, visits := c.probe.visits(j)
				c.left -= visits
				c.probe.move(j, v)
				c.best = φ
				if math.Abs(by) < mostShare {
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
func (c *Compass) try(j int, share float64) (v, φ float64) {
	x := c.probe.point()[j]
	if v = min(max(x+share*c.step[j], c.Lo[j]), c.Hi[j]); v == x || c.left <= 0 {
		return x, math.Inf(1)
	}
	visits, _ := c.probe.visits(j)
	c.left -= visits
	φ, open := c.probe.try(j, v)
	if !(open <= c.open) || math.IsNaN(φ) {
		return x, math.Inf(1)
	}
	if num.Finite(φ) {
		c.lo, c.hi = min(c.lo, φ), max(c.hi, φ)
	}
	return v, φ
}
