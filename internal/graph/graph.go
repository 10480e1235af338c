package graph

import (
	"slices"

	"github.com/dcopt/dcopt/internal/graph/atom"
	"gonum.org/v1/gonum/floats"
)

// Op is the operation of a node on the entries of its arguments, which follow one another.
type Op uint8

// The operations.
const (
	Affine Op = iota // affine functions of the variables, the Rows
	Sum              // the Rows, if any, plus the arguments times their Weights, entry by entry
	Apply            // Curve of each entry
	Reduce           // one entry of each Group of entries, by Function
)

// Node is made of nodes before it.
type Node struct {
	Op       Op
	W        int // entries of a member
	Rows     []Row
	Args     []int
	Weights  [][]float64 // of Sum: a column for each argument
	Group    int
	Curve    *atom.Curve
	Function *atom.Reduce
	P        []float64 // the parameters of Curve and Function
}

// Reduced is a node with a function of groups of the entries of its arguments.
func Reduced(f *atom.Reduce, group int, args ...int) Node {
	return Node{Op: Reduce, Function: f, Group: group, Args: args}
}

// Is reports whether the node is a function of groups.
func (n *Node) Is(f *atom.Reduce) bool { return n.Function == f }

// Parameter of a Curve.
func (n *Node) Parameter() float64 {
	if len(n.P) == 0 {
		return 0
	}
	return n.P[0]
}

// Graph has the nodes that one function of each of N members is made of; that function is the last
// node, with one entry.
type Graph struct {
	N     int
	Nodes []Node
}

// Top is the number of the last node.
func (g *Graph) Top() int { return len(g.Nodes) - 1 }

// Last is the last node.
func (g *Graph) Last() *Node { return &g.Nodes[len(g.Nodes)-1] }

// Add returns the number of a node, which may be there already.
func (g *Graph) Add(n Node) int {
	switch n.Op {
	case Affine:
		n.W = len(n.Rows)
	case Sum:
		n.W = g.Nodes[n.Args[0]].W
	default:
		for _, a := range n.Args {
			n.W += g.Nodes[a].W
		}
		if n.Op == Reduce {
			n.W /= n.Group
		}
	}
	for k := range g.Nodes {
		if g.Nodes[k].same(&n) {
			return k
		}
	}
	g.Nodes = append(g.Nodes, n)
	return len(g.Nodes) - 1
}

// same reports whether two nodes of a graph have equal values because they are made in the same
// way.
func (n *Node) same(o *Node) bool {
	return n.alike(o) && slices.EqualFunc(n.Rows, o.Rows, func(a, b Row) bool { return a.Equal(&b) }) &&
		slices.EqualFunc(n.Weights, o.Weights, equalColumns)
}

// alike reports whether two nodes differ in numbers at most.
func (n *Node) alike(o *Node) bool {
	return n.Op == o.Op && n.Group == o.Group && n.Curve == o.Curve && n.Function == o.Function &&
		slices.Equal(n.P, o.P) && slices.Equal(n.Args, o.Args) &&
		slices.EqualFunc(n.Rows, o.Rows, func(a, b Row) bool { return len(a.Idx) == len(b.Idx) })
}

// Form is a number that graphs have in common which are Alike.
func (g *Graph) Form() uint64 {
	h := uint64(len(g.Nodes))
	mix := func(v int) { h = (h ^ uint64(v)) * 0x9e3779b97f4a7c15 } // 2^64 over the golden ratio
	for k := range g.Nodes {
		n := &g.Nodes[k]
		mix(int(n.Op))
		mix(n.Group)
		mix(len(n.Args))
		if n.Function != nil {
			mix(len(n.Function.Name))
		}
		for r := range n.Rows {
			mix(len(n.Rows[r].Idx))
		}
	}
	return h
}

// Alike reports whether the members of two graphs differ in numbers at most.
func (g *Graph) Alike(o *Graph) bool {
	return slices.EqualFunc(g.Nodes, o.Nodes, func(a, b Node) bool { return a.alike(&b) })
}

// Equal reports whether two graphs have the same members.
func (g *Graph) Equal(o *Graph) bool {
	return g.N == o.N && slices.EqualFunc(g.Nodes, o.Nodes, func(a, b Node) bool { return a.same(&b) })
}

// columns calls f for all columns of numbers and indices.
func (g *Graph) columns(numbers func(*[]float64), indices func(*[]int32)) {
	g.rows(func(r *Row) {
		for t := range r.Idx {
			indices(&r.Idx[t])
			numbers(&r.Val[t])
		}
		numbers(&r.C)
	})
	for k := range g.Nodes {
		for a := range g.Nodes[k].Weights {
			numbers(&g.Nodes[k].Weights[a])
		}
	}
}

// clone has lists of nodes, rows and columns of its own; the columns are shared.
func (g *Graph) clone() *Graph {
	out := &Graph{N: g.N, Nodes: slices.Clone(g.Nodes)}
	for k := range out.Nodes {
		n := &out.Nodes[k]
		n.Weights, n.Rows = slices.Clone(n.Weights), slices.Clone(n.Rows)
		for r := range n.Rows {
			n.Rows[r].Idx, n.Rows[r].Val = slices.Clone(n.Rows[r].Idx), slices.Clone(n.Rows[r].Val)
		}
	}
	return out
}

// Take has the members of a list, in its order.
func (g *Graph) Take(list []int32) *Graph {
	out := g.clone()
	out.N = len(list)
	numbers, indices := taker[float64](list), taker[int32](list)
	out.columns(numbers, indices)
	return out
}

// taker replaces columns by the columns of the members of a list. A column that stands in several
// places is taken once.
func taker[T any](list []int32) func(*[]T) {
	known := map[*T][]T{}
	return func(column *[]T) {
		if len(*column) == 1 {
			return
		}
		out, ok := known[&(*column)[0]]
		if !ok {
			out = make([]T, len(list))
			for i, k := range list {
				out[i] = (*column)[k]
			}
			known[&(*column)[0]] = out
		}
		*column = out
	}
}

// Append adds the only member of a graph that is Alike.
func (g *Graph) Append(m *Graph) {
	for k := range g.Nodes {
		n, o := &g.Nodes[k], &m.Nodes[k]
		for r := range n.Rows {
			to, from := &n.Rows[r], &o.Rows[r]
			for t := range to.Idx {
				to.Idx[t], to.Val[t] = Append(to.Idx[t], g.N, from.Idx[t][0]), Append(to.Val[t], g.N, from.Val[t][0])
			}
			to.C, to.Lost = Append(to.C, g.N, from.C[0]), max(to.Lost, from.Lost)
		}
		for a := range n.Weights {
			n.Weights[a] = Append(n.Weights[a], g.N, o.Weights[a][0])
		}
	}
	g.N++
}

// First is a graph to append to: m, whose memory may be used again, is its first member.
func First(m *Graph) *Graph {
	g := m.clone()
	for k := range g.Nodes {
		g.Nodes[k].Args, g.Nodes[k].P = slices.Clone(g.Nodes[k].Args), slices.Clone(g.Nodes[k].P)
	}
	g.columns(func(c *[]float64) { *c = slices.Clone(*c) }, func(c *[]int32) { *c = slices.Clone(*c) })
	return g
}

// Done has the members that were appended so far, without room for more; g may grow. Equal columns
// of numbers are one list: the same data stand in several affine functions of a member, as the
// coordinates of a point do in its distances from some centres.
func (g *Graph) Done() *Graph {
	out := g.clone()
	known := map[ends][]float64{}
	out.columns(func(c *[]float64) {
		*c = exact(*c)
		if n := len(*c); n > 1 {
			e := ends{n, (*c)[0], (*c)[n/2], (*c)[n-1]}
			if o := known[e]; slices.Equal(o, *c) {
				*c = o
			} else {
				known[e] = *c
			}
		}
	}, func(c *[]int32) { *c = exact(*c) })
	return out
}

// ends are some numbers of a list, by which equal lists are found.
type ends struct {
	count               int
	first, middle, last float64
}

// exact is a list without room for more.
func exact[T any](list []T) []T {
	if len(list) == cap(list) {
		return list
	}
	return slices.Clone(list)
}

// Of has node k of a graph and the nodes that it is made of.
func (g *Graph) Of(k int) *Graph {
	out, at := &Graph{N: g.N}, make([]int, len(g.Nodes))
	needed := make([]bool, len(g.Nodes))
	needed[k] = true
	for i := k; i >= 0; i-- {
		for _, a := range g.Nodes[i].Args {
			needed[a] = needed[a] || needed[i]
		}
	}
	for i := 0; i <= k; i++ {
		if needed[i] {
			at[i] = out.copyOf(&g.Nodes[i], at)
		}
	}
	return out
}

// copyOf adds a node of another graph, of which at has the numbers of the nodes before.
func (g *Graph) copyOf(n *Node, at []int) int {
	c := *n
	c.W, c.Args = 0, slices.Clone(n.Args)
	for a := range c.Args {
		c.Args[a] = at[c.Args[a]]
	}
	return g.Add(c)
}

// Join adds the first n nodes of another graph with as many members, and returns their numbers.
func (g *Graph) Join(o *Graph, n int) (at []int) {
	at = make([]int, n)
	for i := range at {
		at[i] = g.copyOf(&o.Nodes[i], at)
	}
	return at
}

// Renamed has other variables in the place of each that all members share.
func (g *Graph) Renamed(to func(idx []int32) []int32) *Graph {
	c, out := g.clone(), &Graph{N: g.N}
	c.rows(func(r *Row) {
		for t, idx := range r.Idx {
			if len(idx) == 1 {
				r.Idx[t] = to(idx)
			}
		}
	})
	out.Join(c, len(c.Nodes))
	return out
}

// Together has the members of several graphs with as many members each: number i is Σ
// weights·(number i of each).
func Together(graphs []*Graph, weights [][]float64) *Graph {
	out := &Graph{N: graphs[0].N}
	args := make([]int, len(graphs))
	for k, g := range graphs {
		args[k] = out.Join(g, len(g.Nodes))[g.Top()]
	}
	out.Add(Node{Op: Sum, Args: args, Weights: weights})
	return out
}

// mostRepeats is how often coefficients that are repeated are looked for. Source: a limit of time:
// a function of the data has a few kinks.
const mostRepeats = 8

// fewestRepeated is from how many members on that is done. Source: a limit of time: the products of
// one block of a pass are then computed once.
const fewestRepeated = 128

// Repeated are graphs with an equal number of members, the members of g in order, which have the
// same coefficients: as of hinges of the same samples at several places. It is g alone where there
// are none.
func (g *Graph) Repeated() []*Graph {
	for times := mostRepeats; times > 1; times-- {
		n := g.N / times
		if g.N%times != 0 || n < fewestRepeated || !g.repeats(n) {
			continue
		}
		out := make([]*Graph, times)
		list := make([]int32, n)
		for k := range out {
			for i := range list {
				list[i] = int32(k*n + i)
			}
			out[k] = g.Take(list)
		}
		for _, o := range out[1:] { // equal columns are one
			for k := range o.Nodes {
				for r := range o.Nodes[k].Rows {
					from, to := &out[0].Nodes[k].Rows[r], &o.Nodes[k].Rows[r]
					to.Idx, to.Val = from.Idx, from.Val
				}
			}
		}
		return out
	}
	return []*Graph{g}
}

// repeats reports whether the coefficients of a member are the same as n places on, and not
// the same for all.
func (g *Graph) repeats(n int) bool {
	same, some := true, false
	g.rows(func(r *Row) {
		some = some || !r.Shared()
		for t := range r.Idx {
			same = same && periodic(r.Idx[t], n) && periodic(r.Val[t], n)
		}
	})
	return same && some
}

func periodic[T comparable](column []T, n int) bool {
	return len(column) == 1 || slices.Equal(column[n:], column[:len(column)-n])
}

// Finite reports whether all numbers are.
func (g *Graph) Finite() bool {
	finite := true
	g.columns(func(c *[]float64) {
		if sum := floats.Sum(*c); sum-sum != 0 { // one is not, or the sum is too large
			finite = finite && !slices.ContainsFunc(*c, func(v float64) bool { return v-v != 0 })
		}
	}, func(*[]int32) {})
	return finite
}

// rows calls f for all rows.
func (g *Graph) rows(f func(*Row)) {
	for k := range g.Nodes {
		for r := range g.Nodes[k].Rows {
			f(&g.Nodes[k].Rows[r])
		}
	}
}
