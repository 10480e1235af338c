package dc

import "gonum.org/v1/gonum/mat"

// Sum adds all entries.
func (a Affine) Sum() Affine {
	w := make([]float64, a.Len())
	for k := range w {
		w[k] = 1
	}
	return a.Dot(w)
}

// Dot is the sum of w[k] times entry k; len(w) = Len.
func (a Affine) Dot(w []float64) Affine {
	if a.Err() != nil {
		return a
	}
	if len(w) != a.Len() {
		return failed("inner product of %d numbers with the %d entries of shape %v", len(w), a.Len(), a.shape)
	}
	if a.isSelection(1) {
		return FromLinear(a.dotSelection(w))
	}
	parts := make([]Linear, len(w))
	for k := range parts {
		parts[k] = a.Entry(k)
	}
	return FromLinear(sumLinear(parts, w))
}

// dotSelection is Dot for plain variables.
func (a Affine) dotSelection(w []float64) Linear {
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

// MatMul is m·a for a vector a, or for a matrix a.
func (a Affine) MatMul(m mat.Matrix) Affine {
	if a.Err() != nil {
		return a
	}
	r, c := m.Dims()
	if len(a.shape) < 1 || len(a.shape) > 2 || a.shape[0] != c {
		return failed("product of a %d × %d matrix and shape %v", r, c, a.shape)
	}
	cols, shape := 1, []int{r}
	if len(a.shape) == 2 {
		cols = a.shape[1]
		shape = append(shape, cols)
	}
	if a.isSelection(cols) {
		return a.mulSelection(m, shape)
	}
	out := Affine{shape: shape, ptr: make([]int, 1, r*cols+1), c: make([]float64, 0, r*cols)}
	parts, w := make([]Linear, 0, c), make([]float64, 0, c)
	for i := range r {
		for k := range cols {
			parts, w = parts[:0], w[:0]
			for j := range c {
				if v := m.At(i, j); v != 0 {
					parts, w = append(parts, a.Entry(j*cols+k)), append(w, v)
				}
			}
			out.push(sumLinear(parts, w))
		}
	}
	return out
}

// isSelection reports whether the entries are variables, those of each of the
// cols columns in ascending order, as they are in a plain variable and in its
// transpose.
func (a Affine) isSelection(cols int) bool {
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

// mulSelection is MatMul for plain variables: the coefficients of the result
// are rows of m.
func (a Affine) mulSelection(m mat.Matrix, shape []int) Affine {
	r, c := m.Dims()
	cols := 1
	if len(shape) == 2 {
		cols = shape[1]
	}
	out := Affine{shape: shape, ptr: make([]int, 1, r*cols+1), c: make([]float64, r*cols), of: a.of}
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

// MulMat is a·m for a vector a (a row), or for a matrix a.
func (a Affine) MulMat(m mat.Matrix) Affine {
	if a.Err() != nil {
		return a
	}
	r, c := m.Dims()
	if len(a.shape) < 1 || len(a.shape) > 2 || a.shape[len(a.shape)-1] != r {
		return failed("product of shape %v and a %d × %d matrix", a.shape, r, c)
	}
	return a.T().MatMul(m.T()).T()
}
