package boxqp

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Numbers of the search. Source: 60 drawn functions of 70 to 125 variables (integers from −50 to
// 50, a quarter to three quarters of them 0) with 4 seeds each, and 8 of 200 to 410 with 3: each
// run finds the best point of its function.
const (
	rounds     = 30   // tabu searches
	patience   = 20   // moves for each variable without a better point that end one
	tenure     = 0.01 // of the variables are the moves for which a coordinate rests,
	tenureMore = 10   // and up to so many more
	mostWork   = 1e8  // moves that are looked at, about a second
)

// point is a point with its gradient and value but for constants.
type point struct {
	x, grad []float64
	value   float64
}

func (p *point) clone() *point {
	return &point{slices.Clone(p.x), slices.Clone(p.grad), p.value}
}

// searching is a search under way.
type searching struct {
	*Quadratic
	rng  *rand.Rand
	work float64
}

// Search returns a good point. Its work does not depend on the machine; a context that ends leaves
// the best point so far.
func (q *Quadratic) Search(ctx context.Context, start []float64, seed uint64) []float64 {
	s := &searching{Quadratic: q, rng: rand.New(rand.NewPCG(seed, 0x626f78))} // stream "box"
	best := s.tabu(s.at(start))
	for round := 1; round < rounds && ctx.Err() == nil && s.work <= mostWork; round++ {
		if p := s.tabu(s.at(s.drawn())); p.value < best.value {
			best = p
		}
	}
	return best.x
}

// drawn is a random vertex.
func (s *searching) drawn() []float64 {
	x := slices.Clone(s.lo)
	for j := range x {
		if s.rng.IntN(2) == 1 {
			x[j] = s.hi[j]
		}
	}
	return x
}

func (s *searching) at(x []float64) *point {
	p := &point{x: slices.Clone(x), grad: slices.Clone(s.linear)}
	for j, v := range x {
		p.grad[j] += s.diag[j] * v
		for _, e := range s.rows[j] {
			p.grad[e.col] += e.val * v
		}
	}
	for j, v := range x {
		p.value += v * (s.linear[j] + p.grad[j]) / 2
	}
	return p
}

// move changes a coordinate by d.
func (s *searching) move(p *point, j int, d float64) {
	p.value += d * (p.grad[j] + s.diag[j]*d/2)
	p.x[j] += d
	p.grad[j] += s.diag[j] * d
	for _, e := range s.rows[j] {
		p.grad[e.col] += e.val * d
	}
	s.work += float64(len(s.rows[j]))
}

// best is the change of a coordinate that lowers the value most, or raises it least, among those to
// an end and to the least value between, and its effect.
func (s *searching) best(p *point, j int) (d, gain float64) {
	gain = math.Inf(1)
	x, g, h := p.x[j], p.grad[j], s.diag[j]
	least := 1e-7 * (s.hi[j] - s.lo[j]) // other changes are none
	try := func(to float64) {
		if c := to - x; math.Abs(c) > least {
			if v := c * (g + h*c/2); v < gain {
				d, gain = c, v
			}
		}
	}
	try(s.lo[j])
	try(s.hi[j])
	if h > 0 {
		try(min(max(x-g/h, s.lo[j]), s.hi[j]))
	}
	return d, gain
}

// tabu is the best point on a walk by the best moves of coordinates that have rested.
func (s *searching) tabu(p *point) *point {
	n := len(p.x)
	rests := make([]int, n) // until this move
	top := p.clone()
	for k, since := 1, 0; since < patience*n && s.work < mostWork; k++ {
		col, change, gain := -1, 0.0, math.Inf(1)
		for j := range n {
			d, v := s.best(p, j)
			if v < gain && (rests[j] <= k || p.value+v < top.value-rounding*math.Abs(top.value)) {
				col, change, gain = j, d, v
			}
		}
		s.work += float64(n)
		since++
		if col < 0 {
			continue
		}
		s.move(p, col, change)
		rests[col] = k + 1 + int(tenure*float64(n)) + s.rng.IntN(tenureMore)
		if p.value < top.value-rounding*math.Abs(top.value) {
			top, since = p.clone(), 0
		}
	}
	s.descend(top)
	return top
}

// rounding is the relative difference of values that counts. Source: far above rounding errors, far
// below the gap of a proof.
const rounding = 1e-10

// descend moves coordinates to their least values until none gains.
func (s *searching) descend(p *point) {
	for range 100 {
		before := p.value
		for j := range p.x {
			if d, gain := s.best(p, j); gain < 0 {
				s.move(p, j, d)
			}
		}
		s.work += float64(len(p.x))
		if !(p.value < before-rounding*math.Abs(before)) {
			return
		}
	}
}
