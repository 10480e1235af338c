package dc

import (
	"errors"

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
	all := a.list()
	return all.sum()
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
		return failed("inner product of %d numbers with the %d entries of shape %v", len(w), a.Len(), a.arr.Shape)
	}
	if a.bent() {
		return number(sumExprs(a.ScaleEach(w).scalars()))
	}
	return affineExpr(a.arr.Dot(w).Number())
}

// MatMul is the matrix product a·b of arrays one of which is constant, such as
// Mat(m) or Vec(v). A vector is a row on the left and a column on the right; the
// result has no dimension for it: [m n]·[n] is [m], [n]·[n p] is [p], [n]·[n] a
// scalar. Wrong shapes, and variables in both factors, are errors.
func MatMul(a, b Expr) Expr {
	if err := errors.Join(a.Err(), b.Err()); err != nil {
		return wrong(err)
	}
	da, db := len(a.arr.Shape), len(b.arr.Shape)
	if da < 1 || da > 2 || db < 1 || db > 2 || a.arr.Shape[da-1] != b.arr.Shape[0] {
		return failed("product of shapes %v and %v", a.arr.Shape, b.arr.Shape)
	}
	shape := append(a.arr.Shape[:da-1:da-1], b.arr.Shape[1:]...)
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
	case len(a.arr.Shape) == 2:
		return rows{a.arr.Shape[0], a.arr.Shape[1], v}
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
	if len(a.arr.Shape) == 2 {
		cols = a.arr.Shape[1]
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
	return affineExpr(a.arr.Array.LeftMul(m, cols, shape))
}
