package dissect

import (
	"cmp"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/qpbackend/internal/amd"
)

// graph is an undirected graph without loops: vertex v has the neighbours
// adj[ptr[v]:ptr[v+1]], by edges of the weights edge.
type graph struct {
	ptr, adj, edge []int32
	weight         []int32 // of vertices
	name           []int32 // of vertices, in the matrix; nil on coarser levels
}

// whole is the graph of the matrix but for nearly dense rows, which touch both sides of
// any separator and come last by themselves, as in package amd. It uses label.
func whole(work *poll.Poll, label []int32, colPtr, rowIdx []int) (*graph, error) {
	n := len(label)
	ptr, adj, _, err := amd.Adjacency(work, n, colPtr, rowIdx)
	if err != nil {
		return nil, err
	}
	g := &graph{ptr: ptr, adj: adj, weight: slices.Repeat([]int32{1}, n), name: make([]int32, n)}
	limit := int32(min(float64(n), max(16, 10*math.Sqrt(float64(n)))))
	var few []int32 // vertices with few neighbours
	for v := range int32(n) {
		if g.name[v] = v; g.degree(v) <= limit {
			few = append(few, v)
		}
	}
	if len(few) < n {
		return g.induced(label, few), nil
	}
	g.edge = slices.Repeat([]int32{1}, len(adj))
	return g, nil
}

func (g *graph) len() int { return len(g.weight) }

func (g *graph) neighbours(v int32) []int32 { return g.adj[g.ptr[v]:g.ptr[v+1]] }

func (g *graph) degree(v int32) int32 { return g.ptr[v+1] - g.ptr[v] }

// induced is the graph of the vertices vs of g. It uses label.
func (g *graph) induced(label, vs []int32) *graph {
	label = label[:g.len()]
	for v := range label {
		label[v] = -1
	}
	total := int32(0)
	for k, v := range vs {
		label[v] = int32(k)
		total += g.degree(v)
	}
	p := &graph{ptr: make([]int32, 1, len(vs)+1), adj: make([]int32, 0, total), weight: make([]int32, len(vs)),
		name: make([]int32, len(vs))}
	for k, v := range vs {
		p.weight[k], p.name[k] = g.weight[v], g.name[v]
		for _, u := range g.neighbours(v) {
			if t := label[u]; t >= 0 {
				p.adj = append(p.adj, t)
			}
		}
		p.ptr = append(p.ptr, int32(len(p.adj)))
	}
	p.edge = slices.Repeat([]int32{1}, len(p.adj))
	return p
}

// coarser is g with matched vertices joined; of is the joint vertex of each.
func (g *graph) coarser(heaviest int32) (c *graph, of []int32) {
	n := int32(g.len())
	mate := g.match(heaviest)
	of = make([]int32, n)
	count := int32(0)
	for v := range n {
		if mate[v] >= v {
			of[v], of[mate[v]] = count, count
			count++
		}
	}
	c = &graph{ptr: make([]int32, 1, count+1), adj: make([]int32, 0, len(g.adj)), edge: make([]int32, 0, len(g.adj)),
		weight: make([]int32, count)}
	place := make([]int32, count) // of a neighbour in the list under way, plus one
	join := func(own, start, m int32) {
		c.weight[own] += g.weight[m]
		for e := g.ptr[m]; e < g.ptr[m+1]; e++ {
			u := of[g.adj[e]]
			if at := place[u] - 1; at >= start && c.adj[at] == u {
				c.edge[at] += g.edge[e]
			} else if u != own {
				c.adj, c.edge = append(c.adj, u), append(c.edge, g.edge[e])
				place[u] = int32(len(c.adj))
			}
		}
	}
	for v := range n {
		if mate[v] < v {
			continue
		}
		start := int32(len(c.adj))
		join(of[v], start, v)
		if mate[v] > v {
			join(of[v], start, mate[v])
		}
		c.ptr = append(c.ptr, int32(len(c.adj)))
	}
	return c, of
}

// match pairs vertices, the ones with few neighbours first, along the heaviest edges.
// Of those that are left, vertices with a neighbour in common are paired. A pair
// weighs heaviest at most; a vertex without one is its own mate.
func (g *graph) match(heaviest int32) []int32 {
	n := int32(g.len())
	mate, order := make([]int32, n), make([]int32, n)
	for v := range n {
		mate[v], order[v] = -1, v
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(g.degree(a), g.degree(b)) })
	for _, v := range order {
		if mate[v] >= 0 {
			continue
		}
		best, most := v, int32(0)
		for e := g.ptr[v]; e < g.ptr[v+1]; e++ {
			if u := g.adj[e]; mate[u] < 0 && g.edge[e] > most && g.weight[u]+g.weight[v] <= heaviest {
				best, most = u, g.edge[e]
			}
		}
		if best != v {
			mate[v], mate[best] = best, v
		}
	}
	waiting := make([]int32, n) // by neighbour, a vertex without a mate, plus one
	for _, v := range order {
		if mate[v] < 0 {
			mate[v] = v
			g.pair(v, mate, waiting, heaviest)
		}
	}
	return mate
}

// pair gives v a mate that waits at one of its neighbours, or lets it wait there.
func (g *graph) pair(v int32, mate, waiting []int32, heaviest int32) {
	for _, u := range g.neighbours(v) {
		if w := waiting[u] - 1; w >= 0 && mate[w] == w && g.weight[w]+g.weight[v] <= heaviest {
			mate[v], mate[w] = w, v
			return
		}
	}
	for _, u := range g.neighbours(v) {
		waiting[u] = v + 1
	}
}
