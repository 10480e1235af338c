package boxed

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Numbers of the search. Source: 60 drawn functions of 70 to 125 variables (integers from −50 to 50, a
// quarter to three quarters of them 0) with 8 seeds each: 20 rounds find the best point that 100 find in all 480 runs. The numbers
// within between, of coordinates that differ and that change at random, were not varied.
const (
	rounds     = 30   // tabu searches
	patience   = 20   // moves for each variable without a better point that end one
	elite      = 10   // points that paths lead between
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
	pool []*point // the best points, best first
}

// Search returns a good point. Its work does not depend on the machine; a context that ends leaves the best
// point so far.
func (q *Quadratic) Search(ctx context.Context, start []float64, seed uint64) []float64 {
	s := &searching{Quadratic: q, rng: rand.New(rand.NewPCG(seed, 0x626f78))} // stream "box"
	for round := range rounds {
		if round > 0 && (ctx.Err() != nil || s.work > mostWork) {
			break
		}
		var p *point
		switch {
		case round == 0:
			p = s.at(start)
		case round < elite || len(s.pool) < 2:
			p = s.at(s.drawn())
		default:
			p = s.between()
		}
		s.keep(s.tabu(p))
	}
	return s.pool[0].x
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

// best is the change of a coordinate that lowers the value most, or raises it least, among those to an end and
// to the least value between, and its effect.
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

// rounding is the relative difference of values that counts. Source: far above rounding errors, far below
// the gap of a proof.
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

// keep puts a point into the pool, once.
func (s *searching) keep(p *point) {
	for _, o := range s.pool {
		if len(s.differences(p, o)) == 0 {
			return
		}
	}
	at, _ := slices.BinarySearchFunc(s.pool, p, func(a, b *point) int {
		if a.value <= b.value {
			return -1
		}
		return 1
	})
	s.pool = slices.Insert(s.pool, at, p)
	s.pool = s.pool[:min(len(s.pool), elite)]
}

// differences are the coordinates in which two points differ.
func (s *searching) differences(a, b *point) []int {
	var out []int
	for j, v := range a.x {
		if math.Abs(v-b.x[j]) > 1e-3*(s.hi[j]-s.lo[j]) {
			out = append(out, j)
		}
	}
	return out
}

// between is the best point in the middle third of a path from one point of the pool to another.
func (s *searching) between() *point {
	from := s.rng.IntN(len(s.pool))
	to := s.rng.IntN(len(s.pool) - 1)
	if to >= from {
		to++
	}
	p, goal := s.pool[from].clone(), s.pool[to]
	left := s.differences(p, goal)
	all := len(left)
	if all < 6 { // too near: some coordinates change at random
		for range max(4, len(p.x)/10) {
			j := s.rng.IntN(len(p.x))
			if d, v := s.best(p, j); !math.IsInf(v, 1) {
				s.move(p, j, d)
			}
		}
		return p
	}
	var top *point
	for len(left) > all/3 {
		at, gain := 0, math.Inf(1)
		for i, j := range left {
			d := goal.x[j] - p.x[j]
			if v := d * (p.grad[j] + s.diag[j]*d/2); v < gain {
				at, gain = i, v
			}
		}
		s.work += float64(len(left))
		j := left[at]
		s.move(p, j, goal.x[j]-p.x[j])
		left = slices.Delete(left, at, at+1)
		if len(left) <= all-all/3 && (top == nil || p.value < top.value) {
			top = p.clone()
		}
	}
	return top
}
