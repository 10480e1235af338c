package dissect

import (
	"slices"

	"github.com/dcopt/dcopt/internal/poll"
)

// separator is the side of the vertices between the sides 0 and 1.
const separator = 2

// Source: docs/lab/bench.md, Nested dissection.
const (
	coarsest = 100 // vertices of the graph in which parts are grown
	seeds    = 8   // of these parts
	balance  = 0.6 // of the weight of a graph, the most that a side may have
	passes   = 6   // on a level
	patience = 300 // moves that do not make a cut better
)

// heavy is the most that a joint vertex may weigh, in mean weights of the coarsest graph.
// Source: Karypis and Kumar 1998: half as much again keeps weights similar.
const heavy = 1.5

// separate is the side of each vertex of a graph that hangs together.
func separate(work *poll.Poll, g *graph) ([]uint8, error) {
	total := int32(0)
	for _, w := range g.weight {
		total += w
	}
	heaviest := max(2, int32(heavy*float64(total)/coarsest))
	levels, maps := []*graph{g}, [][]int32(nil)
	for g.len() > coarsest {
		c, of := g.coarser(heaviest)
		if err := work.Err(2 * poll.Scattered * len(g.adj)); err != nil {
			return nil, err
		}
		if c.len() > g.len()-g.len()/leastFall {
			break
		}
		levels, maps = append(levels, c), append(maps, of)
		g = c
	}
	c := newCut(g, total)
	c.grow(total)
	for k := len(maps) - 1; k >= 0; k-- {
		side := c.side
		c = newCut(levels[k], total)
		for v, u := range maps[k] {
			c.side[v] = side[u]
		}
		c.refine()
		if err := work.Err(2 * poll.Scattered * len(levels[k].adj)); err != nil {
			return nil, err
		}
	}
	return c.side, nil
}

// leastFall is the part of the vertices that a level has to take away.
// Source: a limit of time: levels that take less cost more than they help.
const leastFall = 20

// cut divides a graph: no vertex of side 0 touches one of side 1.
type cut struct {
	g     *graph
	side  []uint8
	size  [3]int32 // weights of the sides and of the separator
	most  int32    // weight of a side
	pull  [2][]int32
	queue [2]queue // the vertices of the separator by the gain of a move to a side
	fixed []bool   // moved in this pass
	moves []move
	drawn []int32 // into the separator, by all moves
}

// move took a vertex out of the separator to a side, and drew others, of the other side, into it.
type move struct {
	v, drawn int32
	to       uint8
}

func newCut(g *graph, total int32) *cut {
	n := g.len()
	c := &cut{g: g, side: make([]uint8, n), most: int32(balance * float64(total)), fixed: make([]bool, n)}
	pool := make([]int32, 6*n)
	for s := range c.queue {
		for _, v := range []*[]int32{&c.pull[s], &c.queue[s].place, &c.queue[s].gain} {
			*v, pool = pool[:n:n], pool[n:]
		}
	}
	return c
}

// grow makes the best of the cuts around parts grown from a few vertices.
func (c *cut) grow(total int32) {
	n := c.g.len()
	best, least := make([]uint8, n), [3]int32{}
	order := make([]int32, 0, n)
	for t := range seeds {
		for v := range c.side {
			c.side[v] = 1
		}
		order = append(order[:0], int32(t*n/seeds))
		grown := int32(0)
		for k := 0; k < len(order) && grown < total/2; k++ {
			v := order[k]
			if c.side[v] == 0 {
				continue
			}
			c.side[v] = 0
			grown += c.g.weight[v]
			for _, u := range c.g.neighbours(v) {
				if c.side[u] == 1 {
					order = append(order, u)
				}
			}
		}
		for v := range int32(n) {
			if c.side[v] == 0 && c.touches(v, 1) {
				c.side[v] = separator
			}
		}
		c.refine()
		if now := c.badness(); t == 0 || slices.Compare(now[:], least[:]) < 0 {
			least = now
			copy(best, c.side)
		}
	}
	copy(c.side, best)
}

// touches reports whether v has a neighbour on the side.
func (c *cut) touches(v int32, side uint8) bool {
	for _, u := range c.g.neighbours(v) {
		if c.side[u] == side {
			return true
		}
	}
	return false
}

// badness is the overweight of a side, the weight of the separator, and the difference of the
// sides.
func (c *cut) badness() [3]int32 {
	top, low := max(c.size[0], c.size[1]), min(c.size[0], c.size[1])
	return [3]int32{max(0, top-c.most), c.size[separator], top - low}
}

// refine moves vertices of the separator to a side, and their neighbours on the
// other into the separator, while that makes the cut better.
func (c *cut) refine() {
	c.size = [3]int32{}
	for v, s := range c.side {
		c.size[s] += c.g.weight[v]
	}
	for range passes {
		if !c.pass() {
			return
		}
	}
}

// pass moves each vertex once at most, and takes back those that do not pay. It reports
// whether the cut is better.
func (c *cut) pass() bool {
	clear(c.fixed)
	c.moves, c.drawn = c.moves[:0], c.drawn[:0]
	for s := range c.queue {
		c.queue[s].empty()
	}
	for v, s := range c.side {
		if s == separator {
			c.enter(int32(v))
		}
	}
	first := c.badness()
	best, kept := first, 0
	for len(c.moves)-kept < patience {
		s, ok := c.choose()
		if !ok {
			break
		}
		c.move(c.queue[s].heap[0], s)
		if now := c.badness(); slices.Compare(now[:], best[:]) < 0 {
			best, kept = now, len(c.moves)
		}
	}
	for len(c.moves) > kept {
		c.undo()
	}
	return kept > 0
}

// enter puts v of the separator into the queues.
func (c *cut) enter(v int32) {
	var sum [3]int32
	for _, u := range c.g.neighbours(v) {
		sum[c.side[u]] += c.g.weight[u]
	}
	for s := range c.queue {
		c.pull[s][v] = sum[s]
		if !c.fixed[v] {
			c.queue[s].push(v, c.g.weight[v]-sum[1-s])
		}
	}
}

// choose is the side of the next move, the one with the larger gain among those with room, and
// whether there is one.
func (c *cut) choose() (uint8, bool) {
	side, found := uint8(0), false
	for s := range uint8(2) {
		q := &c.queue[s]
		if len(q.heap) == 0 || c.size[s]+c.g.weight[q.heap[0]] > c.most {
			continue
		}
		if !found || q.top() > c.queue[0].top() || q.top() == c.queue[0].top() && c.size[1] < c.size[0] {
			side, found = s, true
		}
	}
	return side, found
}

// move takes v out of the separator to side s.
func (c *cut) move(v int32, s uint8) {
	weight, other := c.g.weight, 1-s
	c.queue[0].remove(v)
	c.queue[1].remove(v)
	c.fixed[v] = true
	c.shift(v, s)
	drawn := len(c.drawn)
	for _, u := range c.g.neighbours(v) {
		switch c.side[u] {
		case separator:
			c.pull[s][u] += weight[v]
			c.queue[other].change(u, weight[u]-c.pull[s][u])
		case other:
			c.drawn = append(c.drawn, u)
			c.shift(u, separator)
			for _, x := range c.g.neighbours(u) {
				if c.side[x] == separator {
					c.pull[other][x] -= weight[u]
					c.queue[s].change(x, weight[x]-c.pull[other][x])
				}
			}
			c.enter(u)
		}
	}
	c.moves = append(c.moves, move{v, int32(len(c.drawn) - drawn), s})
}

// shift gives v another side.
func (c *cut) shift(v int32, to uint8) {
	w := c.g.weight[v]
	c.size[c.side[v]] -= w
	c.size[to] += w
	c.side[v] = to
}

// undo takes the last move back, but for the queues.
func (c *cut) undo() {
	last := len(c.moves) - 1
	m := c.moves[last]
	c.shift(m.v, separator)
	from := len(c.drawn) - int(m.drawn)
	for _, u := range c.drawn[from:] {
		c.shift(u, 1-m.to)
	}
	c.moves, c.drawn = c.moves[:last], c.drawn[:from]
}
