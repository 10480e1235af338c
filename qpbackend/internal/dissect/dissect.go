package dissect

import (
	"context"

	"github.com/dcopt/dcopt/internal/poll"
)

// A part is divided where it has more vertices than leastPart and a parts-th of the graph.
// Source: docs/lab/bench.md, Nested dissection.
const (
	leastPart = 200
	parts     = 16
)

// Stages returns the stages of amd.OrderStages for a symmetric matrix given by its upper triangle
// (CSC pattern, diagonal optional): 0 for the vertices of the parts, more for the vertices of
// separators, and most for the first separator. No entry may stand below the diagonal or twice.
// Where the first separator of a graph that hangs together has more than most vertices the search
// ends; then, and where there is no separator, the answer is nil. It depends on nothing but the
// pattern. The error is ctx.Err().
func Stages(ctx context.Context, n int, colPtr, rowIdx []int, most int) ([]uint8, error) {
	work := poll.New(ctx)
	s := &search{work: &work, size: max(leastPart, n/parts), most: most, depth: make([]uint8, n),
		label: make([]int32, n)}
	g, err := whole(&work, s.label, colPtr, rowIdx)
	if err != nil {
		return nil, err
	}
	if err := s.components(g, 1); err != nil || s.failed || s.deepest == 0 {
		return nil, err
	}
	for v, d := range s.depth {
		if d > 0 {
			s.depth[v] = s.deepest + 1 - d
		}
	}
	return s.depth, nil
}

// search is one of separators.
type search struct {
	work    *poll.Poll
	size    int // up to which a part is not divided
	most    int // vertices of the first separator
	failed  bool
	depth   []uint8 // of the separator in which a vertex is, the first having 1; 0 for none
	deepest uint8
	label   []int32 // of vertices of a graph, those in a part of it
}

// components divides the components of g, each by separators of the depth.
func (s *search) components(g *graph, depth uint8) error {
	n := g.len()
	if n <= s.size {
		return nil
	}
	seen, queue := make([]bool, n), make([]int32, 0, n)
	for root := range int32(n) {
		if seen[root] {
			continue
		}
		seen[root] = true
		queue = append(queue[:0], root)
		for k := 0; k < len(queue); k++ {
			for _, u := range g.neighbours(queue[k]) {
				if !seen[u] {
					seen[u] = true
					queue = append(queue, u)
				}
			}
		}
		part := g
		if len(queue) <= s.size {
			continue
		}
		if len(queue) < n {
			part = g.induced(s.label, queue)
		}
		if err := s.divide(part, depth); err != nil || s.failed {
			return err
		}
	}
	return s.work.Err(poll.Scattered * len(g.adj))
}

// divide finds the separator of a graph that hangs together, and the separators of its parts.
func (s *search) divide(g *graph, depth uint8) error {
	side, err := separate(s.work, g)
	if err != nil {
		return err
	}
	var sets [3][]int32
	for v, k := range side {
		sets[k] = append(sets[k], int32(v))
	}
	if depth == 1 && len(sets[separator]) > s.most {
		s.failed = true
		return nil
	}
	if len(sets[0]) == 0 || len(sets[1]) == 0 || depth == mostDepth {
		return nil
	}
	s.deepest = max(s.deepest, depth)
	for _, v := range sets[separator] {
		s.depth[g.name[v]] = depth
	}
	for _, set := range sets[:2] {
		if err := s.components(g.induced(s.label, set), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// mostDepth is the depth from which parts are not divided.
// Source: derived: stages are numbers of type uint8, and a side has three fifths of a graph at
// most, so that ten separators leave less than a hundredth of it.
const mostDepth = 100
