package dc

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/program"
)

// constructor is how an op is made: it stands in the file of the atom.
type constructor struct {
	op   string
	args int // arrays; −1: one or more
	data int // numbers; −1: as many as make wants
	make func(args []Expr, data []float64) Expr
}

// of is an atom of one array.
func of(f func(Expr) Expr) func([]Expr, []float64) Expr {
	return func(args []Expr, _ []float64) Expr { return f(args[0]) }
}

// ofTwo is an atom of two arrays.
func ofTwo(f func(a, b Expr) Expr) func([]Expr, []float64) Expr {
	return func(args []Expr, _ []float64) Expr { return f(args[0], args[1]) }
}

// At is the entry with the given indices, one per dimension, each from 0: a number.
// Another number of indices, or one out of range, is an error of the result.
func (a Expr) At(index ...int) Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	if len(index) != len(a.arr.Shape) {
		return failed("%d indices into shape %v", len(index), a.arr.Shape)
	}
	k := 0
	for d, i := range index {
		if i < 0 || i >= a.arr.Shape[d] {
			return failed("index %d in dimension %d of shape %v, counted from 0", i, d, a.arr.Shape)
		}
		k = k*a.arr.Shape[d] + i
	}
	return a.Select(nil, []int{k})
}

// Row is row i of a matrix, or more generally the sub-array with first index i.
func (a Expr) Row(i int) Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	if len(a.arr.Shape) == 0 || i < 0 || i >= a.arr.Shape[0] {
		return failed("row %d of shape %v, counted from 0", i, a.arr.Shape)
	}
	n := convex.Size(a.arr.Shape[1:])
	return a.stretch(a.arr.Shape[1:], i*n, (i+1)*n)
}

// Rows are the sub-arrays with the first indices i, one after the other: rows of a matrix, entries
// of a vector. With i and j of Pairs, Rows(i) and Rows(j) are the two sides of all pairs.
func (a Expr) Rows(i []int) Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	if len(a.arr.Shape) == 0 {
		return failed("rows of shape %v", a.arr.Shape)
	}
	n := convex.Size(a.arr.Shape[1:])
	flat := make([]int, 0, len(i)*n)
	for _, i := range i {
		if i < 0 || i >= a.arr.Shape[0] {
			return failed("row %d of shape %v, counted from 0", i, a.arr.Shape)
		}
		for k := range n {
			flat = append(flat, i*n+k)
		}
	}
	return a.Select(append([]int{len(i)}, a.arr.Shape[1:]...), flat)
}

// Pairs are the indices i < j of all pairs of n things, counted from 0: i in the one list and j in
// the other, for Expr.Rows and Constraint.Family.
func Pairs(n int) (i, j []int) {
	count := max(n*(n-1)/2, 0)
	i, j = make([]int, 0, count), make([]int, 0, count)
	for a := range n {
		for b := a + 1; b < n; b++ {
			i, j = append(i, a), append(j, b)
		}
	}
	return i, j
}

// stretch is the entries lo ≤ k < hi in the given shape. It shares a's slices.
func (a Expr) stretch(shape []int, lo, hi int) Expr {
	if a.arr.Fs != nil {
		return arrayOf(slices.Clone(shape), a.arr.Fs[lo:hi:hi])
	}
	if a.g != nil {
		flat := make([]int, hi-lo)
		for k := range flat {
			flat[k] = lo + k
		}
		return a.Select(shape, flat)
	}
	return FromAffine(a.arr.Between(shape, lo, hi))
}

// Col is column j, from 0, of a matrix of shape [r c]: a vector of shape [r]. A j out of
// range, or another shape, is an error of the result.
func (a Expr) Col(j int) Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	if len(a.arr.Shape) != 2 || j < 0 || j >= a.arr.Shape[1] {
		return failed("column %d of shape %v, counted from 0", j, a.arr.Shape)
	}
	flat := make([]int, a.arr.Shape[0])
	for k := range flat {
		flat[k] = k*a.arr.Shape[1] + j
	}
	return a.Select(a.arr.Shape[:1], flat)
}

// Slice is the sub-arrays with first indices lo ≤ i < hi: entries of a vector, rows of a matrix.
// Ends out of range, or an array without dimensions, are errors of the result.
func (a Expr) Slice(lo, hi int) Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	if len(a.arr.Shape) == 0 || lo < 0 || hi < lo || hi > a.arr.Shape[0] {
		return failed("range %d to %d of shape %v, counted from 0", lo, hi, a.arr.Shape)
	}
	n := convex.Size(a.arr.Shape[1:])
	return a.stretch(append([]int{hi - lo}, a.arr.Shape[1:]...), lo*n, hi*n)
}

// Pick is the vector of the entries with the indices that the columns have, one column for each
// dimension: entry k is At(i[k], j[k]) for the columns i and j.
func (a Expr) Pick(columns ...[]int) Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	if len(columns) != len(a.arr.Shape) || len(columns) == 0 {
		return failed("%d columns of indices into shape %v", len(columns), a.arr.Shape)
	}
	flat := make([]int, len(columns[0]))
	for d, column := range columns {
		if len(column) != len(flat) {
			return failed("columns of %d and %d indices into shape %v", len(flat), len(column), a.arr.Shape)
		}
		for k, i := range column {
			if i < 0 || i >= a.arr.Shape[d] {
				return failed("index %d in dimension %d of shape %v, counted from 0", i, d, a.arr.Shape)
			}
			flat[k] = flat[k]*a.arr.Shape[d] + i
		}
	}
	return a.Select([]int{len(flat)}, flat)
}

// Select gathers entries by their places in row-major order into an array of
// the given shape.
func (a Expr) Select(shape []int, flat []int) Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	if convex.Size(shape) != len(flat) {
		return failed("shape %v has %d entries, %d were selected", shape, convex.Size(shape), len(flat))
	}
	for _, k := range flat {
		if k < 0 || k >= a.Len() {
			return failed("entry %d of %d selected", k, a.Len())
		}
	}
	if a.g != nil && len(flat) >= program.FewestMembers {
		return a.takeColumns(shape, flat)
	}
	if a.bent() {
		fs := make([]expr.Scalar, len(flat))
		for i, k := range flat {
			fs[i] = a.scalar(k)
		}
		return arrayOf(slices.Clone(shape), fs)
	}
	return FromAffine(a.arr.Array.Take(shape, flat))
}

// Reshape gives the same entries, in row-major order, another shape. It must have as many
// entries, or the result has an error. Without arguments it is the shape of a scalar.
func (a Expr) Reshape(shape ...int) Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	if convex.Size(shape) != a.Len() {
		return failed("shape %v cannot hold the %d entries of shape %v", shape, a.Len(), a.arr.Shape)
	}
	a.arr.Array = a.arr.Reshaped(shape...)
	return a
}

// T is the transpose of a matrix; of a vector or scalar, itself. An array of more
// dimensions is an error of the result.
func (a Expr) T() Expr {
	switch err := a.Err(); {
	case err != nil:
		return wrong(err)
	case len(a.arr.Shape) < 2:
		return a
	}
	if len(a.arr.Shape) > 2 {
		return failed("transpose of shape %v, want a matrix", a.arr.Shape)
	}
	r, c := a.arr.Shape[0], a.arr.Shape[1]
	return a.Select([]int{c, r}, convex.Transposed(r, c))
}

// Diag is the diagonal of a square matrix, or of a vector the matrix with that
// diagonal.
func (a Expr) Diag() Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	switch {
	case len(a.arr.Shape) == 1:
		n := a.arr.Shape[0]
		fs := make([]expr.Scalar, n*n)
		for k := range n {
			fs[k*(n+1)] = a.scalar(k)
		}
		return arrayOf([]int{n, n}, fs)
	case len(a.arr.Shape) != 2 || a.arr.Shape[0] != a.arr.Shape[1]:
		return failed("diagonal of shape %v, want a square matrix or a vector", a.arr.Shape)
	}
	flat := make([]int, a.arr.Shape[0])
	for k := range flat {
		flat[k] = k * (a.arr.Shape[0] + 1)
	}
	return a.Select(a.arr.Shape[:1], flat)
}

// Entry is the k-th entry in row-major order, 0 ≤ k < Len, a number.
func (a Expr) Entry(k int) Expr { return a.Select(nil, []int{k}) }

// reduced is f of all entries, or of those along an axis for each place across it.
func (a Expr) reduced(f func(Expr) expr.Scalar) Expr {
	axis, is := a.err.(pending)
	switch {
	case is:
		a.err = nil
	case a.err != nil:
		return a
	default:
		return number(f(a))
	}
	n, inner := a.arr.Shape[axis], convex.Size(a.arr.Shape[axis+1:])
	shape := slices.Concat(a.arr.Shape[:axis], a.arr.Shape[axis+1:])
	out, flat := make([]expr.Scalar, convex.Size(shape)), make([]int, n)
	for k := range out {
		for i := range flat {
			flat[i] = (k/inner*n+i)*inner + k%inner
		}
		out[k] = f(a.Select([]int{n}, flat))
	}
	return arrayOf(shape, out)
}

// Along is a of which the next reduction, as Norm2, Sum or Max, takes the entries along an axis
// together, and gives an array of the other axes: Norm2(d.Along(1)) has the norm of each row of a
// matrix d. Axes count from 0; one that a lacks is an error of the result.
func (a Expr) Along(axis int) Expr {
	switch {
	case a.err != nil:
		return wrong(a.err)
	case axis < 0 || axis >= len(a.arr.Shape):
		return failed("axis %d of shape %v, counted from 0", axis, a.arr.Shape)
	}
	a.err = pending(axis)
	return a
}

// joined is the only array, or all entries of several.
func joined(us []Expr) Expr {
	if len(us) == 1 {
		return us[0]
	}
	return Stack(us...)
}

// groups is f of all entries or of the groups along the axis.
func (a Expr) groups(f func(a expr.Array) expr.Scalar) Expr {
	return a.reduced(func(a Expr) expr.Scalar { return f(a.list()) })
}
