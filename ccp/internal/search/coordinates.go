package search

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
)

// Coordinates looks at the mirror images of coordinates for a lower merit. Aragón Artacho, Campoy
// and Vuong 2020 take such directions to leave points that are not d-stationary; steps as long as
// the variables are leave local minima as well.
type Coordinates struct {
	Around
	Most int // moves of a run

	moves  int
	looked []float64 // the point at which it has looked last
	merit  *axisMerit
	order  []int
	sweep  float64 // coefficients that a value along each coordinate visits
	kicked float64 // coefficients visited for kicks so far
	rng    *rand.Rand

	best, open float64 // the merit at the point of the search, and the violations that are allowed
	clear      float64 // a decrease that counts
}

// Source: ablation table of docs/lab/ccp.md; the work is that of a few convex problems.
const (
	flipWork  = 4e7 // coefficients visited in one look by reflection
	flipShare = 3   // the same for each unit of the work so far, which takes as long as about 30
	fewest    = 4   // entries that can be mirrored, for kicks
)

// Next is a jump to the best point found, if any is clearly better.
func (c *Coordinates) Next(p *Point) (Move, bool) {
	if c.moves >= c.Most || c.Sub.Convex() || slices.Equal(c.looked, p.X) {
		return Move{}, false
	}
	c.looked = append(c.looked[:0], p.X...)
	c.merit = c.Values.of(c.Sub, c.Slip)
	c.prepare()
	first, open := c.merit.goTo(p.X, p.Tau)
	if !num.Finite(first) {
		return Move{}, false
	}
	c.best, c.open, c.clear = first, open+c.Slip, clearly*p.Least
	c.merit.most = c.open
	free := c.reflect()
	c.kick(free)
	x := slices.Clone(c.merit.x)
	if c.best == first || !(c.best+c.Noise(x) < first) {
		return Move{}, false
	}
	c.moves++
	return Move{X: x}, true
}

// value is the merit with v in place of entry j, +Inf where that breaks constraints.
func (c *Coordinates) value(j int, v float64) float64 {
	φ, open := c.merit.try(j, v)
	if !(open <= c.open) {
		return math.Inf(1)
	}
	return φ
}

// accept makes v entry j if the merit φ there is clearly better.
func (c *Coordinates) accept(j int, v, φ float64) bool {
	if !(φ < c.best-c.clear) {
		return false
	}
	c.merit.move(j, v)
	c.best = φ
	return true
}

// left is how many coefficients may be visited in one go.
func (c *Coordinates) left() float64 {
	if c.Budget.ended() {
		return 0
	}
	return min(flipWork, flipShare*c.Budget.Spent())
}

// reflect mirrors entries about the middle of their bounds while that helps and the
// work is small beside that of the backend so far. It returns those in DC constraints
// whose mirror image keeps them.
func (c *Coordinates) reflect() (free []int) {
	left := c.left()
	for n, improved := 0, true; improved && left >= c.sweep && !c.Budget.ended(); n++ {
		improved = false
		for _, j := range c.order {
			v := c.mirrored(j, c.merit.x[j])
			if v == c.merit.x[j] {
				continue
			}
			visits, _ := c.merit.visits(j)
			left -= visits
			c.Budget.Visited += visits
			φ := c.value(j, v)
			if n == 0 && len(c.merit.soft[j]) > 0 && !math.IsInf(φ, 1) {
				free = append(free, j)
			}
			improved = c.accept(j, v, φ) || improved
		}
	}
	return free
}

// kick mirrors some entries at random and then single ones while that helps, again and
// again from the best point so far: an iterated local search (Lourenço, Martin and
// Stützle 2003) over points with the same distances from the middle.
func (c *Coordinates) kick(free []int) {
	if len(free) < fewest {
		return
	}
	before := c.kicked
	defer func() { c.Budget.Visited += c.kicked - before }()
	x := c.merit.x
	flip := func(j int) {
		_, visits := c.merit.visits(j)
		c.kicked += visits
		c.merit.move(j, c.mirrored(j, x[j]))
	}
	best, changed := c.best, make([]bool, len(x))
	for c.kicked+c.price(free) < c.left() { // else nothing would be left for the descent from there
		clear(changed)
		for _, j := range free {
			if c.rng.Float64() < Redrawn && c.merit.keeps(j, c.mirrored(j, x[j])) {
				flip(j)
				changed[j] = true
			}
		}
		c.best = c.merit.φ
		for improved := true; improved && c.kicked < c.left(); {
			improved = false
			for _, j := range free {
				v := c.mirrored(j, x[j])
				try, move := c.merit.visits(j)
				c.kicked += try
				if c.accept(j, v, c.value(j, v)) {
					c.kicked += move
					changed[j] = !changed[j]
					improved = true
				}
			}
		}
		if c.best < best-c.clear {
			best = c.best
			continue
		}
		for _, j := range free {
			if changed[j] {
				flip(j)
			}
		}
		c.best = best
	}
}

// price is about how many coefficients the flips of a kick visit.
func (c *Coordinates) price(free []int) (sum float64) {
	for _, j := range free {
		_, visits := c.merit.visits(j)
		sum += Redrawn * visits
	}
	return sum
}

// prepare makes a random order of the coordinates.
func (c *Coordinates) prepare() {
	if c.rng != nil {
		return
	}
	c.rng = rand.New(rand.NewPCG(c.Seed, 0x7062+c.Start)) // the second word names the stream
	c.order = c.rng.Perm(c.Sub.Compiled.DC.NumVars())
	alone := c.alone()
	c.order = slices.DeleteFunc(c.order, func(j int) bool { return !alone[j] })
	for _, j := range c.order {
		visits, _ := c.merit.visits(j)
		c.sweep += visits
	}
}

// alone marks the variables of an h that no affine equation ties to others.
func (c *Coordinates) alone() []bool {
	alone := c.Sub.Linearised()
	for i := range c.Sub.Compiled.DC.Constraints {
		k := &c.Sub.Compiled.DC.Constraints[i]
		for e := range k.Lo {
			if !k.DC && k.Lo[e] == k.Hi[e] {
				for _, j := range k.A.Linear(e).Idx {
					alone[j] = false
				}
			}
		}
	}
	return alone
}

// mirrored is v on the other side of the middle of its bounds, or of 0 where one of
// them is infinite; v itself where that is out of bounds.
func (c *Coordinates) mirrored(j int, v float64) float64 {
	m := c.Lo[j] + c.Hi[j] - v
	if !num.Finite(m) {
		m = -v
	}
	if m < c.Lo[j] || m > c.Hi[j] {
		return v
	}
	return m
}
