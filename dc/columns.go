package dc

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/program"
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
	if n < program.FewestMembers || group < 2 {
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
	out = graphExpr(shape, g, a.arr.Of)
	bent := width > 0
	if row.Extremes != nil || row == atom.Norm1 {
		for k := 0; bent && k < n; k++ {
			one := out.member(k)
			bent = !one.IsAffineNow()
		}
	}
	return out, bent
}

// sumColumns is the sum of the members of a graph. ok is false where some have another form by the
// bounds of the variables, or weights of both signs.
func (a *Expr) sumColumns() (sum expr.Scalar, ok bool) {
	last := a.g.Last()
	parts := []expr.Scalar{a.sumRows(&last.Rows[0])}
	for k, arg := range last.Args {
		w, sign := last.Weights[k], 1.0
		if w[0] < 0 {
			sign = -1
		}
		if slices.ContainsFunc(w, func(v float64) bool { return !(sign*v > 0) }) {
			return sum, false
		}
		f, ok := family.FamilyTerm(a.g.Of(arg), graph.Scale([]float64{sign}, w), a.arr.Of)
		if !ok {
			return sum, false
		}
		parts = append(parts, f.Scale(sign))
	}
	return expr.SumOf(parts), true
}

// sumRows is the sum of a row over all members.
func (a *Expr) sumRows(r *graph.Row) expr.Scalar {
	var t graph.Terms
	t.Add([]float64{1}, r)
	idx, val := t.AppendTo(nil, nil, a.g.N)
	c, all := 0.0, 0.0
	t.Constants(a.g.N, func(v, size float64) { c, all = c+v, all+size })
	l := convex.NewLinear(idx, val, c).WithConstSize(all)
	l.Of = a.arr.Of
	return expr.OfLinear(l)
}

// fold is f, made of a row of the table, of all entries or along an axis.
func (a Expr) fold(row *atom.Reduce, f func(expr.Array) expr.Scalar) Expr {
	if e, ok := a.columns(row); ok {
		return e
	}
	return a.groups(f)
}

// apply is a row of the table of functions of every entry.
func (a Expr) apply(name string) Expr {
	return a.each(func(e expr.Scalar) expr.Scalar { return expr.ApplyTo(name, e) })
}

// The functions below are of expressions of one entry. An error counts as the constant 0.

// Evaluate is Value with a bound of its rounding error: the exact value lies within
// value ± bound. The bound is 0 or more, +Inf where nothing can be said.
func (a Expr) Evaluate(x []float64) (value, bound float64) {
	e := a.one()
	return e.Evaluate(x)
}

// Range is an interval that holds the values wherever the variables are within their bounds.
func (a Expr) Range() interval.Interval { return a.one().Over() }

// Scalar is a number as a sum of weighted functions with its split. Packages of this module alone
// can use it.
func (a Expr) Scalar() expr.Scalar { return a.one() }

// Written is a as it was written: an affine function plus weighted atoms.
func (a Expr) Written() (affine convex.Linear, terms []expr.Atom) { return a.one().Written() }

// IsAffine, IsConvex and IsConcave say what the splits of all entries show; a function may be
// convex although its split does not show it.
func (a Expr) IsAffine() bool { return a.every(expr.Scalar.IsAffine) }

// IsConst reports whether no variable occurs in any entry.
func (a Expr) IsConst() bool { return len(a.arr.Idx) == 0 && a.every(expr.Scalar.IsConst) }

// IsConvex reports whether the splits prove all entries convex.
func (a Expr) IsConvex() bool { return a.every(expr.Scalar.IsConvex) }

// IsConcave reports whether the splits prove all entries concave.
func (a Expr) IsConcave() bool { return a.every(expr.Scalar.IsConcave) }

// row is fold of a row without forms of its own for some arguments.
func (a Expr) row(row *atom.Reduce) Expr {
	return a.fold(row, func(a expr.Array) expr.Scalar { return expr.ApplyEntries(row, nil, a) })
}
