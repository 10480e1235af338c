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
	step   []float64    // of each variable, at share 1
	along  [][2]float64 // the range of the merit along each coordinate
	best   float64      // the merit at the probe's point
	open   float64      // the violations that are allowed
	lo, hi float64      // the range of the merit over all points that keep the constraints
	least  float64      // a decrease that counts
	left   float64      // coefficients that may be visited
}

// The shares of a variable's range by which it is changed: the first, which is the largest,
// the smallest, and the factors between them.
const (
	leastShare = 0x1p-18
	shorter    = 0x1p-3
	longer     = 4
	firstShare = 0x1p-1 // along a coordinate in one step, at most

	// vanishing is the share of the merit's range along a coordinate below which a
	// change is 0: some hundred roundings.
	vanishing = 0x1p-43

	compassWork  = 4e7 // coefficients visited in one look, at most
	compassShare = 8   // of these per unit of the work so far, which takes as long as about 30
)

// Next is a jump to the point where the search from the last iterate ends, or from the
// best point, if it is a better one.
func (c *Compass) Next(p *Point) (Move, bool) {
	for _, x := range [2][]float64{p.X, p.Best} {
		if c.moves >= c.Most || slices.Equal(c.looked, x) {
			continue
		}
		c.looked = append(c.looked[:0], x...)
		if c.gain = c.from(x, p.Tau, c.Slip); c.gain > c.least {
			c.moves++
			return c.jump(), true
		}
	}
	return Move{}, false
}

// Leads is a jump from the best point where the search from there finds one whose objective
// is lower by more than counts beside its terms, and that breaks the constraints no more.
func (c *Compass) Leads(p *Point) (Move, bool) {
	if c.Most == 0 || slices.Equal(c.looked, p.Best) && c.gain <= c.least {
		return Move{}, false
	}
	slip := 0.0
	for _, k := range c.Sub.Hard {
		slip = max(slip, c.Sub.DC.RelativeViolation(k, p.Best))
	}
	if c.from(p.Best, 0, slip) <= max(c.least, c.Tol*c.Sub.DC.ObjectiveSize(p.Best)) {
		return Move{}, false
	}
	return c.jump(), true
}

func (c *Compass) jump() Move {
	to := slices.Clone(c.probe.point())
	return Move{X: to, Z: to, Restart: Jump}
}

// from searches from x and returns by how much the merit is lower at the end. A convex
// constraint may be broken by slip, a DC one, without weight in the merit, by no more
// than at x.
func (c *Compass) from(x []float64, τ, slip float64) (gain float64) {
	if c.probe == nil {
		c.probe = newProbe(c.Sub, slip)
	}
	c.probe.slip = slip
	first, open := c.probe.goTo(x, τ)
	if !num.Finite(first) {
		return 0
	}
	c.best, c.open, c.lo, c.hi = first, open, first, first
	c.left = min(compassWork, compassShare*c.Budget.Spent())
	c.measure(x)
	size := c.Sub.DC.ObjectiveSize(x)
	c.least = max(c.Tol*min(size, c.hi-c.lo), c.Noise(x))
	if c.shorten(); size < vanishing*(c.hi-c.lo) {
		return first - c.best // its terms vanish
	}
	if c.nearer(); slices.Max(c.step) > 0 {
		c.shorten()
	}
	return first - c.best
}

// shorten sweeps with shorter and shorter steps.
func (c *Compass) shorten() {
	for share := firstShare; share >= leastShare && c.left > 0; {
		if !c.sweep(share) {
			share *= shorter
		}
	}
}

// nearer makes the steps those of the variables' values, where their ranges are so much
// larger that the shortest steps are longer than the first ones here; the other variables stay.
func (c *Compass) nearer() {
	for j, v := range c.probe.point() {
		w := c.step[j]
		c.along[j] = [2]float64{c.best, c.best}
		if c.step[j] = 0; leastShare*w > firstShare*math.Abs(v) {
			c.step[j] = math.Abs(v)
		}
	}
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
	c.along = slices.Grow(c.along[:0], len(x))[:len(x)]
	for j := range x {
		c.along[j] = [2]float64{c.best, c.best}
		for _, sign := range [2]float64{-1, 1} {
			c.try(j, sign*firstShare)
		}
	}
}

// sweep tries a step along each coordinate, and goes on along one that gains.
func (c *Compass) sweep(share float64) (gained bool) {
	for j := range c.step {
		for _, sign := range [2]float64{-1, 1} {
			by := sign * share
			v, φ := c.try(j, by)
			least := max(c.least, vanishing*(c.along[j][1]-c.along[j][0]))
			if !(φ < c.best-least) {
				continue
			}
			gained = true
			for φ < c.best-least {
				_, visits := c.probe.visits(j)
				c.left -= visits
				c.probe.move(j, v)
				c.best = φ
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
		c.along[j] = [2]float64{min(c.along[j][0], φ), max(c.along[j][1], φ)}
	}
	return v, φ
}
