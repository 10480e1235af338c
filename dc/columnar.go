package dc

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph"
)

// fewestConstraints is from how many members on the constraints of a name are one
// object. Source: below it they take less memory than the 100 kB that a convex problem takes.
const fewestConstraints = 128

// graphOf is the array of the members of a graph.
func (c *columnar) graphOf(shape []int, g *graph.Graph, of *convex.Space) Expr {
	return Expr{arr: array{Array: convex.Array{Shape: shape, Of: of}}, g: &columnar{g, c.member}}
}

// sumOfColumns is a + w·b, of one shape or a number, of which one is a graph and the other one a
// graph or affine. ok is false if they do not make a graph.
func sumOfColumns(a Expr, w float64, b Expr) (out Expr, ok bool) {
	shape := a.arr.Shape
	if a.arr.IsNumber() {
		shape = b.arr.Shape
	}
	of := a.arr.Of.Join(b.arr.Of)
	if of != nil && of.Wrong != nil {
		return wrong(of.Wrong), true
	}
	g, sum, kind := &graph.Graph{N: convex.Size(shape)}, graph.Node{Op: graph.Sum}, a.g
	if kind == nil {
		kind = b.g
	}
	var rows graph.Terms
	for side, e := range [2]Expr{a, b} {
		times := []float64{[2]float64{1, w}[side]}
		if e.g == nil {
			r, ok := RowOf(e, g.N, func(k int) int { return min(k, e.Len()-1) })
			if !ok {
				return out, false
			}
			rows.Add(times, &r)
			continue
		}
		last := e.g.Last()
		at := g.Join(e.g.Graph, e.g.Top())
		rows.Add(times, &last.Rows[0])
		for k, arg := range last.Args {
			if slices.Contains(sum.Args, at[arg]) {
				return out, false // they may cancel
			}
			sum.Args = append(sum.Args, at[arg])
			sum.Weights = append(sum.Weights, graph.Scale(times, last.Weights[k]))
		}
	}
	row, ok := rows.Row()
	if !ok {
		return out, false
	}
	sum.Rows = []graph.Row{row}
	g.Add(sum)
	return kind.graphOf(shape, g, of), true
}

// scaleColumns is w·a, w not 0, of a graph.
func (a Expr) scaleColumns(w float64) Expr {
	g := &graph.Graph{N: a.g.N, Nodes: slices.Clone(a.g.Nodes)}
	last, times := g.Last(), []float64{w}
	var rows graph.Terms
	rows.Add(times, &last.Rows[0])
	row, _ := rows.Row()
	last.Rows, last.Weights = []graph.Row{row}, slices.Clone(last.Weights)
	for k := range last.Weights {
		last.Weights[k] = graph.Scale(times, last.Weights[k])
	}
	return a.g.graphOf(a.arr.Shape, g, a.arr.Of)
}

// takeColumns are entries of a graph, by their places.
func (a Expr) takeColumns(shape, flat []int) Expr {
	list := make([]int32, len(flat))
	for i, k := range flat {
		list[i] = int32(k)
	}
	return a.g.graphOf(slices.Clone(shape), a.g.Take(list), a.arr.Of)
}

// rowBlock is how many rows are read before the next coefficient of the first one. Source: a limit
// of time: they stay in the second level of a cache.
const rowBlock = 1 << 10

// RowOf is entry at(i) of a as the row of member i of n. ok is false where these have not as many
// coefficients each, or a coefficient is 0. Package lang calls it.
func RowOf(a Expr, n int, at func(i int) int) (r graph.Row, ok bool) {
	first := a.Linear(at(0))
	width := len(first.Idx)
	r = graph.Row{Idx: make([][]int32, width), Val: make([][]float64, width), C: []float64{first.Const},
		Lost: a.arr.Lost}
	for t, j := range first.Idx {
		r.Idx[t], r.Val[t] = []int32{int32(j)}, []float64{first.Val[t]}
	}
	var starts [rowBlock]int
	for lo := 0; lo < n; lo += rowBlock {
		some := starts[:min(rowBlock, n-lo)]
		for i := range some {
			k, from, to := at(lo+i), 0, 0
			if a.arr.Ptr != nil {
				from, to = a.arr.Ptr[k], a.arr.Ptr[k+1]
			}
			if to-from != width {
				return r, false
			}
			some[i] = from
			put(&r.C, lo+i, n, a.arr.C[k])
		}
		for t := range width {
			idx, val := &r.Idx[t], &r.Val[t]
			for i, from := range some {
				v := a.arr.Val[from+t]
				if v == 0 {
					return r, false
				}
				put(idx, lo+i, n, int32(a.arr.Idx[from+t]))
				put(val, lo+i, n, v)
			}
		}
	}
	return r, true
}

// put puts v at place i of a column of n, which has one number as long as all are that.
func put[T comparable](column *[]T, i, n int, v T) {
	switch c := *column; {
	case len(c) > 1:
		c[i] = v
	case c[0] != v:
		out := make([]T, n)
		for k := range i {
			out[k] = c[0]
		}
		out[i], *column = v, out
	}
}
