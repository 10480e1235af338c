package search

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
)

// Coordinates looks along the coordinates, a positive spanning set, at points far and
// near for a lower merit, where values cost little. Aragón Artacho, Campoy and Vuong
// 2020 take such directions to leave points that are not d-stationary; steps as long
// as the variables are leave local minima as well.
type Coordinates struct {
	Sub    *subproblem.Problem
	Budget *Budget
	Most   int // moves of a run
	Seed   uint64
	Lo, Hi []float64
	// Merit is the penalised objective and the sum of the violated constraints,
	// which may grow by Slack.
	Merit func(x []float64) (φ, open float64)
	Slack float64

	moves  int
	looked []float64 // the point at which it has looked last
	x      []float64
	order  []int
	visit  float64 // coefficients that a value visits, about
	rng    *rand.Rand
}

// Source: ablation table of docs/ccp.md; the work is what a few convex problems cost.
const (
	gridWork  = 2e5 // coefficients visited in one look along all coordinates by grid
	flipWork  = 4e7 // and in one by reflection
	flipShare = 8   // reflections for each iteration of the backend so far, which costs about 30
	gridHalf  = 16  // points on either side
	refine    = 24  // golden sections
	clearly   = 10  // decreases that count, for a move
)

// Next is a jump to the best point found, if any is clearly better.
func (c *Coordinates) Next(p *Point) (Move, bool) {
	if c.moves >= c.Most || c.Sub.Convex() || slices.Equal(c.looked, p.X) {
		return Move{}, false
	}
	c.looked = append(c.looked[:0], p.X...)
	c.prepare(p.X)
	φ0, open0 := c.Merit(p.X)
	if !subproblem.IsFinite(φ0) {
		return Move{}, false
	}
	best := φ0
	value := func(j int, v float64) float64 {
		old := c.x[j]
		c.x[j] = v
		φ, open := c.Merit(c.x)
		c.x[j] = old
		if !(open <= open0+c.Slack) {
			return math.Inf(1)
		}
		return φ
	}
	accept := func(j int, v, φ float64) bool {
		if φ < best-clearly*p.Least {
			best, c.x[j] = φ, v
			return true
		}
		return false
	}
	c.reflect(value, accept)
	if (2*gridHalf+refine)*c.visit*float64(len(c.order)) <= gridWork {
		for _, j := range c.order {
			c.along(j, value, accept)
		}
	}
	if best == φ0 {
		return Move{}, false
	}
	c.moves++
	return Move{X: c.x, Z: c.x, Restart: Jump}, true
}

// Ended does nothing: what was found counts.
func (c *Coordinates) Ended(Outcome) {}

// reflect mirrors entries about the middle of their bounds while that helps and the
// work is small beside that of the backend so far.
func (c *Coordinates) reflect(value func(int, float64) float64, accept func(int, float64, float64) bool) {
	left := min(flipWork/c.visit, flipShare*float64(c.Budget.Work))
	for improved := true; improved && left >= float64(len(c.order)); {
		improved = false
		for _, j := range c.order {
			v := c.mirrored(j, c.x[j])
			if v == c.x[j] {
				continue
			}
			left--
			improved = accept(j, v, value(j, v)) || improved
		}
	}
}

// prepare sets x, a random order of the coordinates, and the cost of a value.
func (c *Coordinates) prepare(x []float64) {
	c.x = append(c.x[:0], x...)
	if c.rng != nil {
		return
	}
	c.rng = rand.New(rand.NewPCG(c.Seed, 0x7062)) // the second word names the stream
	c.order = c.rng.Perm(len(x))
	alone := c.alone()
	c.order = slices.DeleteFunc(c.order, func(j int) bool { return !alone[j] })
	c.visit = c.Sub.Entries()
}

// alone marks the variables of an h that no affine equation ties to others.
func (c *Coordinates) alone() []bool {
	alone := c.Sub.Linearised()
	for i := range c.Sub.DC.Constraints {
		k := &c.Sub.DC.Constraints[i]
		for e := range k.Lo {
			if !k.DC && k.Lo[e] == k.Hi[e] {
				for _, j := range k.A.Entry(e).Idx {
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
	if !subproblem.IsFinite(m) {
		m = -v
	}
	if m < c.Lo[j] || m > c.Hi[j] {
		return v
	}
	return m
}

// along takes the best of the local minima on a grid over coordinate j, refined by
// golden sections.
func (c *Coordinates) along(j int, value func(int, float64) float64, accept func(int, float64, float64) bool) {
	x, reach := c.x[j], 4*max(c.Sub.Units[j], math.Abs(c.x[j]))
	lo, hi := max(c.Lo[j], x-reach), min(c.Hi[j], x+reach)
	if !(lo < hi) {
		return
	}
	at := func(k int) float64 { return min(lo+(hi-lo)*float64(k)/(2*gridHalf), hi) }
	before, here := math.Inf(1), value(j, at(0))
	topφ, top := math.Inf(1), -1
	for k := 0; k <= 2*gridHalf; k++ {
		after := math.Inf(1)
		if k < 2*gridHalf {
			after = value(j, at(k+1))
		}
		inOwn := math.Abs(at(k)-x) <= (hi-lo)/(2*gridHalf)
		if here <= before && here < after && !inOwn && here < topφ {
			topφ, top = here, k
		}
		before, here = here, after
	}
	if top < 0 {
		return
	}
	v, φ := section(at(max(top-1, 0)), at(min(top+1, 2*gridHalf)), func(v float64) float64 { return value(j, v) })
	if topφ <= φ {
		v, φ = at(top), topφ
	}
	accept(j, v, φ)
}

// section is a minimum of f between a and c by golden sections.
func section(a, c float64, f func(float64) float64) (v, φ float64) {
	const ratio = 0.6180339887498949
	u, w := c-ratio*(c-a), a+ratio*(c-a)
	fu, fw := f(u), f(w)
	for range refine {
		if fu <= fw {
			c, w, fw = w, u, fu
			u = c - ratio*(c-a)
			fu = f(u)
		} else {
			a, u, fu = u, w, fw
			w = a + ratio*(c-a)
			fw = f(w)
		}
	}
	if fw < fu {
		return w, fw
	}
	return u, fu
}
