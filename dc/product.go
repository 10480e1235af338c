package dc

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Sum is the sum of all entries of all arrays, or along an axis of one: see Expr.Along. Without
// entries it is 0. A function that occurs in several entries is kept once, and terms of opposite
// sign cancel.
//
//	arguments  us: arrays of any shapes
//	curvature  affine
//	sign       any
//	monotone   us: nondecreasing
//	domain     all
//	takes      any with a split
//	refuses    nothing
//	form       none of its own
//	source     Grant, Boyd and Ye 2006
func Sum(us ...Expr) Expr { return joined(us).reduced(Expr.sum) }

func (a Expr) sum() scalar {
	if a.g != nil {
		if e, ok := a.sumColumns(); ok {
			return e
		}
	}
	if a.bent() {
		return sumExprs(a.functions())
	}
	w := make([]float64, a.Len())
	for k := range w {
		w[k] = 1
	}
	return a.Dot(w).one()
}

// Sum is the sum of all entries, or along an axis: see Along.
func (a Expr) Sum() Expr { return a.reduced(Expr.sum) }

// Dot is the sum of w[k] times entry k, in row-major order: a number. It has an error
// unless len(w) = Len.
func (a Expr) Dot(w []float64) Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	if len(w) != a.Len() {
		return failed("inner product of %d numbers with the %d entries of shape %v", len(w), a.Len(), a.shape)
	}
	if a.bent() {
		return sumExprs(a.ScaleEach(w).scalars()).array()
	}
	if a.isSelection(1) {
		return FromLinear(a.dotSelection(w))
	}
	parts := make([]Linear, len(w))
	for k := range parts {
		parts[k] = a.Linear(k)
	}
	return FromLinear(sumLinear(parts, w))
}

// dotSelection is Dot for plain variables.
func (a Expr) dotSelection(w []float64) Linear {
	some := 0
	for _, v := range w {
		if v != 0 {
			some++
		}
	}
	if some == len(w) {
		return Linear{Idx: a.idx, Val: append([]float64(nil), w...), of: a.of}
	}
	l := Linear{Idx: make([]int, 0, some), Val: make([]float64, 0, some), of: a.of}
	for k, v := range w {
		if v != 0 {
			l.Idx, l.Val = append(l.Idx, a.idx[k]), append(l.Val, v)
		}
	}
	return l
}

// MatMul is the matrix product a·b of arrays one of which is constant, such as
// Mat(m) or Vec(v). A vector is a row on the left and a column on the right; the
// result has no dimension for it: [m n]·[n] is [m], [n]·[n p] is [p], [n]·[n] a
// scalar. Wrong shapes, and variables in both factors, are errors.
func MatMul(a, b Expr) Expr {
	if err := errors.Join(a.Err(), b.Err()); err != nil {
		return wrong(err)
	}
	da, db := len(a.shape), len(b.shape)
	if da < 1 || da > 2 || db < 1 || db > 2 || a.shape[da-1] != b.shape[0] {
		return failed("product of shapes %v and %v", a.shape, b.shape)
	}
	shape := append(a.shape[:da-1:da-1], b.shape[1:]...)
	switch {
	case a.IsConst() && len(shape) == 0:
		return b.Dot(a.Values(nil))
	case b.IsConst() && len(shape) == 0:
		return a.Dot(b.Values(nil))
	case a.IsConst():
		return b.leftMul(newRows(a, da == 1)).Reshape(shape...)
	case b.IsConst():
		return a.T().leftMul(newRows(b, false).T()).T().Reshape(shape...)
	}
	return failed("a matrix product of two arrays with variables; see Inner and Mul")
}

// rows are the numbers of a constant array as a matrix, in row-major order.
type rows struct {
	r, c int
	data []float64
}

// newRows is a matrix, or a vector as a row or as a column.
func newRows(a Expr, row bool) rows {
	v := a.Values(nil)
	switch {
	case len(a.shape) == 2:
		return rows{a.shape[0], a.shape[1], v}
	case row:
		return rows{1, len(v), v}
	}
	return rows{len(v), 1, v}
}

func (m rows) Dims() (r, c int)           { return m.r, m.c }
func (m rows) At(i, j int) float64        { return m.data[i*m.c+j] }
func (m rows) T() mat.Matrix              { return mat.Transpose{Matrix: m} }
func (m rows) RawRowView(i int) []float64 { return m.data[i*m.c : (i+1)*m.c] }

// leftMul is m·a for a vector or a matrix a with as many rows as m has columns.
func (a Expr) leftMul(m mat.Matrix) Expr {
	r, c := m.Dims()
	cols, shape := 1, []int{r}
	if len(a.shape) == 2 {
		cols = a.shape[1]
		shape = append(shape, cols)
	}
	if a.bent() {
		all, fs := a.functions(), make([]scalar, 0, r*cols)
		for i := range r {
			for k := range cols {
				var parts []scalar
				for j := range c {
					if v := m.At(i, j); v != 0 {
						parts = append(parts, all[j*cols+k].Scale(v))
					}
				}
				fs = append(fs, sumExprs(parts))
			}
		}
		return arrayOf(shape, fs)
	}
	if a.isSelection(cols) {
		return a.mulSelection(m, shape)
	}
	out := Expr{shape: shape, ptr: make([]int, 1, r*cols+1), c: make([]float64, 0, r*cols)}
	parts, w := make([]Linear, 0, c), make([]float64, 0, c)
	for i := range r {
		for k := range cols {
			parts, w = parts[:0], w[:0]
			for j := range c {
				if v := m.At(i, j); v != 0 {
					parts, w = append(parts, a.Linear(j*cols+k)), append(w, v)
				}
			}
			out.push(sumLinear(parts, w))
		}
	}
	return out
}

// isSelection reports whether the entries are variables, the ones of each of the
// cols columns in ascending order, as they are in a plain variable and in its
// transpose.
func (a Expr) isSelection(cols int) bool {
	if len(a.idx) != len(a.c) {
		return false
	}
	for k, j := range a.idx {
		if a.ptr[k] != k || a.val[k] != 1 || a.c[k] != 0 || k >= cols && a.idx[k-cols] >= j {
			return false
		}
	}
	return true
}

// mulSelection is leftMul for plain variables: the coefficients of the result
// are rows of m.
func (a Expr) mulSelection(m mat.Matrix, shape []int) Expr {
	r, c := m.Dims()
	cols := 1
	if len(shape) == 2 {
		cols = shape[1]
	}
	out := Expr{shape: shape, ptr: make([]int, 1, r*cols+1), c: make([]float64, r*cols), of: a.of}
	out.idx, out.val = make([]int, 0, r*cols*c), make([]float64, 0, r*cols*c)
	view, ok := m.(mat.RawRowViewer)
	row := make([]float64, c)
	for i := range r {
		if ok {
			row = view.RawRowView(i)
		} else {
			for j := range row {
				row[j] = m.At(i, j)
			}
		}
		for k := range cols {
			if cols == 1 && !slices.Contains(row, 0) {
				out.idx, out.val = append(out.idx, a.idx...), append(out.val, row...)
				out.ptr = append(out.ptr, len(out.idx))
				continue
			}
			for j, v := range row {
				if v != 0 {
					out.idx, out.val = append(out.idx, a.idx[j*cols+k]), append(out.val, v)
				}
			}
			out.ptr = append(out.ptr, len(out.idx))
		}
	}
	return out
}
