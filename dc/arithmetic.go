package dc

import (
	"errors"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"gonum.org/v1/gonum/mat"
)

// Add returns a + b + ..., entry by entry. Many terms are added in pairs, so that n of them cost n
// log n.
func (a Expr) Add(bs ...Expr) Expr {
	if len(bs) == 1 {
		return a.combine("sum", 1, bs[0])
	}
	for all := append([]Expr{a}, bs...); ; {
		if len(all) == 1 {
			return all[0]
		}
		half := all[:0]
		for k := 0; k < len(all); k += 2 {
			if k+1 < len(all) {
				half = append(half, all[k].combine("sum", 1, all[k+1]))
			} else {
				half = append(half, all[k])
			}
		}
		all = half
	}
}

// Sub returns a − b, entry by entry.
func (a Expr) Sub(b Expr) Expr { return a.combine("difference", -1, b) }

// Shift returns a + v, a number added to every entry.
func (a Expr) Shift(v float64) Expr { return a.Add(Num(v)) }

func (a Expr) combine(what string, w float64, b Expr) Expr {
	a, b, err := meet(what, a, b)
	if err != nil {
		return wrong(err)
	}
	if a.bent() || b.bent() {
		if a.arr.IsNumber() && b.arr.IsNumber() {
			return number(expr.SumOf([]expr.Scalar{a.scalar(0), b.scalar(0).Scale(w)}))
		}
		if a.arr.Fs == nil && b.arr.Fs == nil {
			if out, ok := sumOfColumns(a, w, b); ok {
				return out
			}
		}
		return pairwise(what, a, b, func(u, v expr.Scalar) expr.Scalar {
			return expr.SumOf([]expr.Scalar{u, v.Scale(w)})
		})
	}
	a.arr.Zero()
	b.arr.Zero()
	if len(a.arr.Shape) == 0 && len(b.arr.Shape) > 0 {
		return b.Scale(w).combine(what, 1, a)
	}
	if of := a.arr.Of.Join(b.arr.Of); of != nil && of.Wrong != nil { // equal coefficients of two models would cancel
		return wrong(of.Wrong)
	}
	return FromAffine(a.arr.AddScaled(w, &b.arr.Array))
}

// Neg returns −a, of the shape of a.
func (a Expr) Neg() Expr { return a.Scale(-1) }

// Scale returns w·a, of the shape of a, for a w of any sign.
func (a Expr) Scale(w float64) Expr {
	switch err := a.Err(); {
	case err != nil:
		return wrong(err)
	case w == 1:
		return a
	}
	if out, ok := a.scaleColumns([]float64{w}); ok {
		return out
	}
	if a.bent() {
		return a.each(func(e expr.Scalar) expr.Scalar { return e.Scale(w) })
	}
	return FromAffine(a.arr.Array.Scale(w))
}

// ScaleEach multiplies entry k, in row-major order, by w[k], and keeps the shape. The
// result has an error unless len(w) = Len.
func (a Expr) ScaleEach(w []float64) Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	if len(w) != a.Len() {
		return failed("%d factors for the %d entries of shape %v", len(w), a.Len(), a.arr.Shape)
	}
	if out, ok := a.scaleColumns(w); ok {
		return out
	}
	if a.bent() {
		k := -1
		return a.each(func(e expr.Scalar) expr.Scalar { k++; return e.Scale(w[k]) })
	}
	out := convex.Array{Shape: a.arr.Shape, Ptr: make([]int, 1, len(a.arr.C)+1), C: make([]float64, 0, len(a.arr.C))}
	for k := range a.arr.C {
		out.Push(a.Linear(k).Scale(w[k]))
	}
	return FromAffine(out)
}

// pairwise is f of the entries of two arrays that meet; the word names it in messages.
func pairwise(word string, a, b Expr, f func(a, b expr.Scalar) expr.Scalar) Expr {
	a, b, err := meet(word, a, b)
	if err != nil {
		return wrong(err)
	}
	shape := a.arr.Shape
	if a.arr.IsNumber() {
		shape = b.arr.Shape
	}
	out := make([]expr.Scalar, convex.Size(shape))
	for k := range out {
		out[k] = f(a.scalar(min(k, a.Len()-1)), b.scalar(min(k, b.Len()-1)))
	}
	return arrayOf(shape, out)
}

// meet are two arrays of one shape, or one of them a number. An array with the last dimensions of
// the other one is repeated along its first ones.
func meet(word string, a, b Expr) (x, y Expr, err error) {
	suffix := func(of, shape []int) bool {
		return len(shape) < len(of) && slices.Equal(shape, of[len(of)-len(shape):])
	}
	switch err := errors.Join(a.Err(), b.Err()); {
	case err != nil:
		return a, b, err
	case a.arr.IsNumber(), b.arr.IsNumber(), slices.Equal(a.arr.Shape, b.arr.Shape):
		return a, b, nil
	case suffix(a.arr.Shape, b.arr.Shape):
		return a, b.repeated(a.arr.Shape), nil
	case suffix(b.arr.Shape, a.arr.Shape):
		return a.repeated(b.arr.Shape), b, nil
	}
	return a, b, failed("%s of shapes %v and %v", word, a.arr.Shape, b.arr.Shape).err
}

// repeated is a along the first dimensions of a shape of which it has the last ones.
func (a Expr) repeated(shape []int) Expr {
	flat := make([]int, convex.Size(shape))
	for k := range flat {
		flat[k] = k % a.Len()
	}
	return a.Select(shape, flat)
}

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

func (a Expr) sum() expr.Scalar {
	if a.g != nil {
		if e, ok := a.sumColumns(); ok {
			return e
		}
	}
	all := a.list()
	return all.Sum()
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
		return a.ScaleEach(w).Sum()
	}
	return FromAffine(a.arr.Dot(w).Number())
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
		all, fs := a.scalars(), make([]expr.Scalar, 0, r*cols)
		for i := range r {
			for k := range cols {
				var parts []expr.Scalar
				for j := range c {
					if v := m.At(i, j); v != 0 {
						parts = append(parts, all[j*cols+k].Scale(v))
					}
				}
				fs = append(fs, expr.SumOf(parts))
			}
		}
		return arrayOf(shape, fs)
	}
	return FromAffine(a.arr.Array.LeftMul(m, cols, shape))
}

// MulSparse is the product of a sparse matrix and the entries of a, a vector. The
// matrix has its rows in compressed form: row i has the coefficients
// val[ptr[i]:ptr[i+1]] of the entries idx[ptr[i]:ptr[i+1]], counted from 0 in
// row-major order; equal ones are added. A coefficient that is 0 is kept, so that
// matrices of one pattern give functions of one pattern.
func (a Expr) MulSparse(ptr, idx []int, val []float64) Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	if err := checkRows(ptr, idx, val, a.Len()); err != nil {
		return wrong(err)
	}
	rows := len(ptr) - 1
	if a.bent() {
		all, fs := a.scalars(), make([]expr.Scalar, rows)
		for i := range fs {
			parts := make([]expr.Scalar, 0, ptr[i+1]-ptr[i])
			for p := ptr[i]; p < ptr[i+1]; p++ {
				parts = append(parts, all[idx[p]].Scale(val[p]))
			}
			fs[i] = expr.SumOf(parts)
		}
		return arrayOf([]int{rows}, fs)
	}
	return FromAffine(a.arr.MulSparse(ptr, idx, val))
}

// checkRows refuses slices that are no rows in compressed form.
func checkRows(ptr, idx []int, val []float64, cols int) error {
	switch {
	case len(ptr) == 0 || ptr[0] != 0 || ptr[len(ptr)-1] != len(idx):
		return expr.Failed("the row pointers of a sparse matrix must go from 0 to the number of its %d coefficients",
			len(idx)).Err
	case len(idx) != len(val):
		return expr.Failed("a sparse matrix with %d places and %d coefficients", len(idx), len(val)).Err
	case !slices.IsSorted(ptr):
		return expr.Failed("the row pointers of a sparse matrix must not descend").Err
	}
	for _, k := range idx {
		if k < 0 || k >= cols {
			return expr.Failed("a sparse matrix has a coefficient in column %d of %d, counted from 0", k, cols).Err
		}
	}
	return nil
}
