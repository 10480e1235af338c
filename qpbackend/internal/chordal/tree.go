package chordal

import (
	"context"
	"slices"

	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/qpbackend/internal/amd"
)

// Tree are the cliques of a chordal graph, parents before their children. Vertices have new
// numbers, so that the vertices of a clique that are in none before it follow each other.
type Tree struct {
	Order   []int32 // of each new number, the vertex
	Cliques []Clique
}

// Clique are vertices of which each two are joined.
type Clique struct {
	Vertices []int32 // by their new numbers, ascending
	Outer    int     // the first so many are in cliques before it, all of them in its parent
}

// Price is the cost of a clique of so many vertices, of which outer are in its parent, beside a
// border as Spread counts it.
type Price func(order, outer int, border float64) float64

// Extend makes the graph of n vertices chordal and finds its cliques. The edges are the pattern of
// a matrix in columns, either triangle, with or without the diagonal. Cliques are merged with their
// parents where that lowers the sum of the prices. The error is ctx.Err().
func Extend(ctx context.Context, n int, colPtr, rowIdx []int, price Price) (*Tree, error) {
	e, err := eliminate(ctx, n, colPtr, rowIdx)
	if err != nil {
		return nil, err
	}
	e.merge(price)
	return e.tree(), nil
}

// elimination of the vertices in an order of little fill. Vertices go by their place in it.
type elimination struct {
	perm    []int     // of each place, the vertex
	of      []int32   // of each place, its clique
	cliques [][]int32 // a vertex and all that were joined to it
	outer   []int32   // of each clique, how many of those are left after it
	last    []int32   // the last of the others
	parent  []int32   // −1 for none
	into    []int32   // the clique that it is merged into, or itself
}

func eliminate(ctx context.Context, n int, colPtr, rowIdx []int) (*elimination, error) {
	perm, err := amd.Order(ctx, n, colPtr, rowIdx)
	if err != nil {
		return nil, err
	}
	e := &elimination{perm: perm, of: make([]int32, n)}
	later := laterNeighbours(perm, colPtr, rowIdx)
	work := poll.New(ctx)
	columns, children := make([][]int32, n), make([][]int32, n) // of the vertices that are left
	size, up, seen := make([]int32, n), make([]int32, n), make([]int32, n)
	for j := range int32(n) {
		var column []int32
		add := func(list []int32) {
			for _, i := range list {
				if i != j && seen[i] != j+1 {
					seen[i] = j + 1
					column = append(column, i)
				}
			}
		}
		add(later[j])
		spent := len(later[j])
		for _, c := range children[j] {
			add(columns[c])
			spent += len(columns[c])
			columns[c] = nil
		}
		columns[j], size[j], up[j] = column, int32(len(column)), -1
		e.of[j] = -1
		for _, c := range children[j] {
			if size[c] == size[j]+1 { // c was joined to j and to all that j is joined to
				e.of[j] = e.of[c]
				break
			}
		}
		if e.of[j] < 0 {
			e.of[j] = int32(len(e.cliques))
			e.cliques = append(e.cliques, append([]int32{j}, column...))
			e.last, e.outer = append(e.last, j), append(e.outer, 0)
		}
		e.last[e.of[j]], e.outer[e.of[j]] = j, size[j]
		if len(column) > 0 {
			up[j] = slices.Min(column)
			children[up[j]] = append(children[up[j]], j)
		}
		if err := work.Err(poll.Scattered * (1 + spent)); err != nil {
			return nil, err
		}
	}
	for k, j := range e.last {
		p := int32(-1)
		if up[j] >= 0 {
			p = e.of[up[j]]
		}
		e.parent, e.into = append(e.parent, p), append(e.into, int32(k))
	}
	return e, nil
}

// laterNeighbours are the neighbours of each place that come after it.
func laterNeighbours(perm, colPtr, rowIdx []int) [][]int32 {
	place := make([]int32, len(perm))
	for k, v := range perm {
		place[v] = int32(k)
	}
	later := make([][]int32, len(perm))
	for c := range perm {
		for _, r := range rowIdx[colPtr[c]:colPtr[c+1]] {
			a, b := place[c], place[r]
			if a != b {
				later[min(a, b)] = append(later[min(a, b)], max(a, b))
			}
		}
	}
	return later
}

// upwards are the cliques, each before its parent.
func (e *elimination) upwards() []int32 {
	list := make([]int32, len(e.cliques))
	for k := range list {
		list[k] = int32(k)
	}
	slices.SortFunc(list, func(a, b int32) int { return int(e.last[a] - e.last[b]) })
	return list
}

// merge joins cliques with their parents where the price of both falls.
func (e *elimination) merge(price Price) {
	order := make([]int, len(e.cliques))
	for k, c := range e.cliques {
		order[k] = len(c)
	}
	for _, k := range e.upwards() {
		p := e.parent[k]
		if p < 0 {
			continue
		}
		outer, above := int(e.outer[k]), int(e.outer[p])
		both := order[p] + order[k] - outer
		if price(both, above, 0) < price(order[k], outer, 0)+price(order[p], above, 0) {
			e.into[k], order[p] = p, both
		}
	}
}

func (e *elimination) tree() *Tree {
	n, up := len(e.perm), e.upwards()
	own, place := make([][]int32, len(e.cliques)), make([]int32, n)
	for _, k := range slices.Backward(up) { // parents first
		if p := e.into[k]; p != k {
			e.into[k] = e.into[p]
		}
	}
	for j := range int32(n) {
		k := e.into[e.of[j]]
		own[k] = append(own[k], j)
	}
	t := &Tree{Order: make([]int32, 0, n)}
	for _, k := range slices.Backward(up) {
		if e.into[k] != k {
			continue
		}
		var c Clique
		for _, j := range e.cliques[k] {
			if j > e.last[k] {
				c.Vertices = append(c.Vertices, place[j])
			}
		}
		c.Outer = len(c.Vertices)
		slices.Sort(c.Vertices)
		for _, j := range own[k] {
			place[j] = int32(len(t.Order))
			c.Vertices = append(c.Vertices, place[j])
			t.Order = append(t.Order, int32(e.perm[j]))
		}
		t.Cliques = append(t.Cliques, c)
	}
	return t
}

// Cost is the sum of the prices of the cliques.
func (t *Tree) Cost(price Price, border float64) float64 {
	sum := 0.0
	for _, c := range t.Cliques {
		sum += price(len(c.Vertices), c.Outer, border)
	}
	return sum
}

// Entries calls visit for each entry of the chordal pattern, once, with its clique and the two
// places in that, a ≤ b.
func (t *Tree) Entries(visit func(k, a, b int)) {
	for k, c := range t.Cliques {
		for b := c.Outer; b < len(c.Vertices); b++ {
			for a := range b + 1 {
				visit(k, a, b)
			}
		}
	}
}
