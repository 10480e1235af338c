package dc

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/pass"
	"gonum.org/v1/gonum/mat"
)

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
	g, sum := &graph.Graph{N: convex.Size(shape)}, graph.Node{Op: graph.Sum}
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
		at := g.Join(e.g, e.g.Top())
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
	return graphExpr(shape, g, of), true
}

// scaleColumns is a graph with each entry times one of the numbers w, or times the only one. ok is
// false for other arrays, and where a coefficient would be 0.
func (a Expr) scaleColumns(w []float64) (out Expr, ok bool) {
	if a.g == nil || slices.Contains(w, 0) {
		return out, false
	}
	times := graph.Pack(slices.Clone(w))
	g := &graph.Graph{N: a.g.N, Nodes: slices.Clone(a.g.Nodes)}
	last := g.Last()
	var rows graph.Terms
	rows.Add(times, &last.Rows[0])
	row, ok := rows.Row()
	if !ok {
		return out, false
	}
	last.Rows, last.Weights = []graph.Row{row}, slices.Clone(last.Weights)
	for k := range last.Weights {
		last.Weights[k] = graph.Scale(times, last.Weights[k])
	}
	return graphExpr(a.arr.Shape, g, a.arr.Of), true
}

// takeColumns are entries of a graph, by their places.
func (a Expr) takeColumns(shape, flat []int) Expr {
	list := make([]int32, len(flat))
	for i, k := range flat {
		list[i] = int32(k)
	}
	return graphExpr(slices.Clone(shape), a.g.Take(list), a.arr.Of)
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

// arrayOf is the entries in that shape; where all are affine as they are written, by their
// coefficients.
func arrayOf(shape []int, fs []expr.Scalar) Expr {
	out := Expr{arr: expr.ListOf(shape, fs)}
	for k := range out.arr.Fs {
		if out.arr.Fs[k].Err != nil {
			return wrong(out.arr.Fs[k].Err)
		}
	}
	return out
}

// number is e as an expression without a shape.
func number(e expr.Scalar) Expr {
	if of := e.Owner(); e.Err == nil && e.IsAffineNow() && (of == nil || of.Wrong == nil) {
		return FromAffine(e.Lin.Number())
	}
	return arrayOf(nil, []expr.Scalar{e})
}

// as is f of all entries, without an axis.
func (a Expr) as(f func(a expr.Array) expr.Scalar) Expr {
	if a.err != nil {
		return wrong(a.err)
	}
	return number(f(a.list()))
}

// list is the array with its entries one by one.
func (a *Expr) list() expr.Array {
	if a.g == nil {
		return a.arr
	}
	fs := make([]expr.Scalar, a.g.N)
	for i := range fs {
		fs[i] = a.member(i)
	}
	return expr.Array{Array: convex.Array{Shape: a.arr.Shape, Of: a.arr.Of}, Fs: fs}
}

// scalars are the entries.
func (a Expr) scalars() []expr.Scalar {
	all := a.list()
	return all.Scalars()
}

// scalar is entry k.
func (a *Expr) scalar(k int) expr.Scalar {
	switch {
	case a.err != nil:
		return expr.Scalar{Err: a.err}
	case a.g != nil:
		return a.member(k)
	}
	return a.arr.Scalar(k)
}

// one is the entry of an array that has but one.
func (a Expr) one() expr.Scalar {
	switch err := a.Err(); {
	case err != nil:
		return expr.Scalar{Err: err}
	case a.Len() != 1:
		return expr.Failed("a number is wanted, not shape %v", a.arr.Shape)
	}
	return a.scalar(0)
}

// each is f of every entry.
func (a Expr) each(f func(expr.Scalar) expr.Scalar) Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	out := make([]expr.Scalar, a.Len())
	for k := range out {
		out[k] = f(a.scalar(k))
	}
	return arrayOf(a.arr.Shape, out)
}

// every reports whether all entries that are not affine by their form meet a condition.
func (a Expr) every(is func(expr.Scalar) bool) bool {
	for k := range a.arr.Fs {
		if !is(a.arr.Fs[k]) {
			return false
		}
	}
	for k := 0; a.g != nil && k < a.g.N; k++ {
		if !is(a.member(k)) {
			return false
		}
	}
	return true
}

// Plain reports whether all entries are affine as they are written.
func (a Expr) Plain() bool {
	return !a.bent() || a.every(func(e expr.Scalar) bool { return e.IsAffineNow() })
}

// Value is the value of a number at x, computed from the expression as it was written; x has a
// number for each entry of each variable of the model: Problem.NumVars of them. It is NaN where
// terms of either sign are infinite, and for an array with other than one entry: see Values.
func (a Expr) Value(x []float64) float64 {
	switch {
	case a.err != nil || a.Len() != 1:
		return math.NaN()
	case a.bent():
		e := a.scalar(0)
		return e.Value(x)
	case a.arr.C == nil:
		return 0
	}
	return a.arr.At(0, x)
}

// ValuesTo writes the entries' values at x to dst, of length Len, in row-major order.
func (a Expr) ValuesTo(dst, x []float64) {
	if a.g == nil {
		a.arr.ValueTo(dst, x)
		return
	}
	pass.NewPlan(a.g).Values(x, func(b *pass.Block) { copy(dst[b.Lo:], b.Values) })
}

// Values is ValuesTo into a new slice, of length Len.
func (a Expr) Values(x []float64) []float64 {
	dst := make([]float64, a.Len())
	a.ValuesTo(dst, x)
	return dst
}

// Matrix is the values at x of a matrix; a vector is a column. It is nil for
// other shapes.
func (a Expr) Matrix(x []float64) *mat.Dense {
	if len(a.arr.Shape) > 2 || a.Len() == 0 {
		return nil
	}
	r := 1
	if len(a.arr.Shape) > 0 {
		r = a.arr.Shape[0]
	}
	return mat.NewDense(r, a.Len()/r, a.Values(x))
}

func (a *Expr) support() []int {
	all := a.list()
	return all.Support()
}

// Stack joins the entries of all parts, of any shapes, each in row-major order, into one
// vector. The first error of a part is the error of the result.
func Stack(parts ...Expr) Expr {
	all, affines, bent := []expr.Scalar(nil), make([]convex.Array, len(parts)), false
	for k := range parts {
		if err := parts[k].Err(); err != nil {
			return wrong(err)
		}
		affines[k], bent = parts[k].arr.Array, bent || parts[k].bent()
	}
	if !bent {
		return FromAffine(convex.Stack(affines...))
	}
	for k := range parts {
		all = append(all, parts[k].scalars()...)
	}
	return arrayOf([]int{len(all)}, all)
}
