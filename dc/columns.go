package dc

import (
	"slices"

	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// An array with many entries that differ in numbers alone, as the distances of all pairs of points
// do, is kept as a graph of which the entries are the members. Its last node is a sum of one row
// and of weighted functions. Sums, multiples, choices of entries and comparisons are graphs again;
// for anything else the entries are made one by one.

// fewestConstraints is from how many members on the constraints of a name are one
// object. Source: below it they take less memory than the 100 kB that a convex problem takes.
const fewestConstraints = 128

// fold is f, made of a row of the table, of all entries or along an axis.
func (a Expr) fold(row *atom.Reduce, f func(Expr) scalar) Expr {
	if e, ok := a.columns(row); ok {
		return e
	}
	return a.reduced(f)
}

// columns are a row of the table of the groups along the axis. ok is false where these are no
// members of a graph, or some are affine by the bounds of their variables.
func (a Expr) columns(row *atom.Reduce) (out Expr, ok bool) {
	axis, is := a.err.(pending)
	if !is || a.bent() || row.Restricted() || row.Curvature < 0 {
		return out, false
	}
	shape := slices.Concat(a.shape[:axis], a.shape[axis+1:])
	n, group, inner := size(shape), a.shape[axis], size(a.shape[axis+1:])
	if n < fewestConstraints || group < 2 {
		return out, false
	}
	rows, width := make([]graph.Row, group), 0
	for i := range rows {
		place := func(k int) int { return (k/inner*group+i)*inner + k%inner }
		if rows[i], ok = RowOf(a, n, place); !ok {
			return out, false
		}
		width += len(rows[i].Idx)
	}
	g := &graph.Graph{N: n}
	top := g.Add(graph.Reduced(row, group, g.Add(graph.Node{Op: graph.Affine, Rows: rows})))
	g.Add(graph.Node{Op: graph.Sum, Rows: []graph.Row{graph.Number([]float64{0})}, Args: []int{top}, Weights: [][]float64{{1}}})
	out = graphOf(shape, g, a.of)
	bent := width > 0
	if row.Extremes != nil || row == atom.Norm1 {
		for k := 0; bent && k < n; k++ {
			one := out.g.entry(k)
			bent = !one.isAffineNow()
		}
	}
	return out, bent
}

// graphOf is the array of the members of a graph.
func graphOf(shape []int, g *graph.Graph, of *space) Expr {
	entry := func(k int) scalar { return memberOf(g, g.Top(), of, k) }
	return Expr{shape: shape, g: &columnar{g, entry}, of: of}
}

// sumOfColumns is a + w·b, of one shape or a number, of which one is a graph and the other one a
// graph or affine. ok is false if they do not make a graph.
func sumOfColumns(a Expr, w float64, b Expr) (out Expr, ok bool) {
	shape := a.shape
	if a.isNumber() {
		shape = b.shape
	}
	of := a.of.join(b.of)
	if of != nil && of.wrong != nil {
		return wrong(of.wrong), true
	}
	g, sum := &graph.Graph{N: size(shape)}, graph.Node{Op: graph.Sum}
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
	return graphOf(shape, g, of), true
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
	return graphOf(a.shape, g, a.of)
}

// takeColumns are entries of a graph, by their places.
func (a Expr) takeColumns(shape, flat []int) Expr {
	list := make([]int32, len(flat))
	for i, k := range flat {
		list[i] = int32(k)
	}
	return graphOf(slices.Clone(shape), a.g.Take(list), a.of)
}

// sumColumns is the sum of the members of a graph. ok is false where some have another form by the
// bounds of the variables, or weights of both signs.
func (a *Expr) sumColumns() (sum scalar, ok bool) {
	last := a.g.Last()
	parts := []scalar{a.sumRows(&last.Rows[0])}
	for k, arg := range last.Args {
		w, sign := last.Weights[k], 1.0
		if w[0] < 0 {
			sign = -1
		}
		if slices.ContainsFunc(w, func(v float64) bool { return !(sign*v > 0) }) {
			return sum, false
		}
		f, ok := familyTerm(a.g.Of(arg), graph.Scale([]float64{sign}, w), a.of)
		if !ok {
			return sum, false
		}
		parts = append(parts, f.Scale(sign))
	}
	return sumExprs(parts), true
}

// sumRows is the sum of a row over all members.
func (a *Expr) sumRows(r *graph.Row) scalar {
	var t graph.Terms
	t.Add([]float64{1}, r)
	idx, val := t.AppendTo(nil, nil, a.g.N)
	c, all := 0.0, 0.0
	t.Constants(a.g.N, func(v, size float64) { c, all = c+v, all+size })
	l := NewLinear(idx, val, c).WithConstSize(all)
	l.of = a.of
	return l.expr()
}

// rowBlock is how many rows are read before the next coefficient of the first one. Source: a limit
// of time: they stay in the second level of a cache.
const rowBlock = 1 << 10

// RowOf is entry at(i) of a as the row of member i of n. ok is false where these have not as many
// coefficients each, or a coefficient is 0. Package lang calls it.
func RowOf(a Expr, n int, at func(i int) int) (r graph.Row, ok bool) {
	first := a.Linear(at(0))
	width := len(first.Idx)
	r = graph.Row{Idx: make([][]int32, width), Val: make([][]float64, width), C: []float64{first.Const}, Lost: a.lost}
	for t, j := range first.Idx {
		r.Idx[t], r.Val[t] = []int32{int32(j)}, []float64{first.Val[t]}
	}
	var starts [rowBlock]int
	for lo := 0; lo < n; lo += rowBlock {
		some := starts[:min(rowBlock, n-lo)]
		for i := range some {
			k, from, to := at(lo+i), 0, 0
			if a.ptr != nil {
				from, to = a.ptr[k], a.ptr[k+1]
			}
			if to-from != width {
				return r, false
			}
			some[i] = from
			put(&r.C, lo+i, n, a.c[k])
		}
		for t := range width {
			idx, val := &r.Idx[t], &r.Val[t]
			for i, from := range some {
				v := a.val[from+t]
				if v == 0 {
					return r, false
				}
				put(idx, lo+i, n, int32(a.idx[from+t]))
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
