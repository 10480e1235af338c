package dc

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// An array with many entries that differ in numbers alone, as the distances of all pairs of points
// do, is kept as a graph of which the entries are the members. Its last node is a sum of one row
// and of weighted functions. Sums, multiples, choices of entries and comparisons are graphs again;
// for anything else the entries are made one by one.

// columns are a row of the table of the groups along the axis. ok is false where these are no
// members of a graph, or some are affine by the bounds of their variables.
func (a Expr) columns(row *atom.Reduce) (out Expr, ok bool) {
	axis, is := a.err.(pending)
	if !is || a.bent() || row.Restricted() || row.Curvature < 0 {
		return out, false
	}
	shape := slices.Concat(a.arr.Shape[:axis], a.arr.Shape[axis+1:])
	n, group, inner := convex.Size(shape), a.arr.Shape[axis], convex.Size(a.arr.Shape[axis+1:])
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
	g.Add(graph.Node{Op: graph.Sum, Rows: []graph.Row{graph.Number([]float64{0})}, Args: []int{top},
		Weights: [][]float64{{1}}})
	kind := columnar{member: func(g *graph.Graph, of *convex.Space, k int) scalar {
		return memberOf(g, g.Top(), of,
			k)
	}}
	out = kind.graphOf(shape, g, a.arr.Of)
	bent := width > 0
	if row.Extremes != nil || row == atom.Norm1 {
		for k := 0; bent && k < n; k++ {
			one := out.member(k)
			bent = !one.isAffineNow()
		}
	}
	return out, bent
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
		f, ok := familyTerm(a.g.Of(arg), graph.Scale([]float64{sign}, w), a.arr.Of)
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
	l := convex.NewLinear(idx, val, c).WithConstSize(all)
	l.Of = a.arr.Of
	return linearExpr(l)
}

// fold is f, made of a row of the table, of all entries or along an axis.
func (a Expr) fold(row *atom.Reduce, f func(array) scalar) Expr {
	if e, ok := a.columns(row); ok {
		return e
	}
	return a.groups(f)
}
