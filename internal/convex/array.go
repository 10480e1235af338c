package convex

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/interval"
	"gonum.org/v1/gonum/mat"
)

// Array is an array of affine functions with a shape, entries in row-major order.
type Array struct {
	Shape []int
	Ptr   []int // entry k has the coefficients Ptr[k] to Ptr[k+1]; nil: no coefficients at all
	Idx   []int
	Val   []float64
	C     []float64
	Of    *Space
	Lost  float64 // the largest of the entries': see Linear
}

// Entries is the vector of the given functions; they are copied.
func Entries(rows ...Linear) Array {
	total := 0
	for k := range rows {
		total += len(rows[k].Idx)
	}
	a := Array{Shape: []int{len(rows)}, Ptr: make([]int, 1, len(rows)+1), C: make([]float64, 0, len(rows))}
	a.Idx, a.Val = make([]int, 0, total), make([]float64, 0, total)
	for _, l := range rows {
		a.Push(l)
	}
	return a
}

// Number is l as an array of one entry without dimensions. It keeps the slices of l.
func (l Linear) Number() Array {
	return Array{Ptr: []int{0, len(l.Idx)}, Idx: l.Idx, Val: l.Val, C: []float64{l.Const}, Of: l.Of, Lost: l.Lost}
}

// Push appends an entry; the caller sees to the shape.
func (a *Array) Push(l Linear) {
	a.Idx, a.Val = append(a.Idx, l.Idx...), append(a.Val, l.Val...)
	a.Ptr, a.C = append(a.Ptr, len(a.Idx)), append(a.C, l.Const)
	a.Of, a.Lost = a.Of.Join(l.Of), max(a.Lost, l.Lost)
}

// Len is the number of entries. The zero value is the number 0.
func (a *Array) Len() int {
	if a.C == nil && len(a.Shape) == 0 {
		return 1
	}
	return len(a.C)
}

// NNZ is the number of coefficients that are stored, of all entries together.
func (a *Array) NNZ() int { return len(a.Idx) }

// IsConst reports whether there are no coefficients.
func (a *Array) IsConst() bool { return len(a.Idx) == 0 }

// IsNumber reports whether a has one entry and no shape.
func (a *Array) IsNumber() bool { return len(a.Shape) == 0 }

// Linear is entry k. Its slices are a's own.
func (a *Array) Linear(k int) Linear {
	switch {
	case a.C == nil:
		return Linear{}
	case a.Ptr == nil:
		return Linear{Const: a.C[k], Of: a.Of, Lost: a.Lost}
	}
	lo, hi := a.Ptr[k], a.Ptr[k+1]
	return Linear{a.Idx[lo:hi:hi], a.Val[lo:hi:hi], a.C[k], a.Of, a.Lost}
}

// Linears are all entries.
func (a *Array) Linears() []Linear {
	out := make([]Linear, a.Len())
	for k := range out {
		out[k] = a.Linear(k)
	}
	return out
}

// At is the value of entry k at x.
func (a *Array) At(k int, x []float64) float64 {
	s := a.C[k]
	if a.Ptr == nil {
		return s
	}
	lo, hi := a.Ptr[k], a.Ptr[k+1]
	val := a.Val[lo:hi]
	for i, j := range a.Idx[lo:hi] {
		s += val[i] * x[j]
	}
	return s
}

// AddRow adds w times the coefficients of entry k to dst.
func (a *Array) AddRow(dst []float64, w float64, k int) {
	if a.Ptr == nil || w == 0 {
		return
	}
	lo, hi := a.Ptr[k], a.Ptr[k+1]
	idx, val := a.Idx[lo:hi], a.Val[lo:hi]
	for i, j := range idx {
		dst[j] += w * val[i]
	}
}

// Zero gives the zero value its number.
func (a *Array) Zero() {
	if a.C == nil && len(a.Shape) == 0 {
		a.C = []float64{0}
	}
}

// ValueTo writes the values at x to dst.
func (a *Array) ValueTo(dst, x []float64) {
	v := a.Values(x)
	for k := range a.C {
		dst[k] = v.At(k)
	}
}

// Over is the range of entry k.
func (a *Array) Over(k int) interval.Interval { return a.Linear(k).Over() }

// Support lists, ascending, the variables of all entries.
func (a *Array) Support() []int { return Union(a.Idx) }

// Between are the entries from lo to hi; they share their coefficients, and the places of these
// where the first entries are as long.
func (a *Array) Between(shape []int, lo, hi int) Array {
	out := Array{Shape: slices.Clone(shape), C: a.C[lo:hi:hi], Of: a.Of, Lost: a.Lost}
	if a.Ptr == nil {
		return out
	}
	n, first, last := hi-lo, a.Ptr[lo], a.Ptr[hi]
	out.Ptr, out.Idx, out.Val = a.Ptr[:n+1:n+1], a.Idx[first:last:last], a.Val[first:last:last]
	for k := range n + 1 {
		if a.Ptr[lo+k]-first != a.Ptr[k] {
			out.Ptr = make([]int, n+1)
			for k := range out.Ptr {
				out.Ptr[k] = a.Ptr[lo+k] - first
			}
			break
		}
	}
	return out
}

// Slice are the entries lo to hi of a vector.
func (a *Array) Slice(lo, hi int) Array { return a.Between([]int{hi - lo}, lo, hi) }

// Take are entries by their places. Those of a run share their coefficients.
func (a *Array) Take(shape, flat []int) Array {
	run := a.Ptr != nil && len(flat) > 0
	for i, k := range flat {
		run = run && k == flat[0]+i
	}
	if run {
		return a.Between(shape, flat[0], flat[0]+len(flat))
	}
	out := Array{Shape: slices.Clone(shape), Ptr: make([]int, 1, len(flat)+1), C: make([]float64, 0, len(flat))}
	for _, k := range flat {
		out.Push(a.Linear(k))
	}
	return out
}

// Reshaped is a with another shape, for as many entries.
func (a Array) Reshaped(shape ...int) Array {
	a.Zero()
	a.Shape = slices.Clone(shape)
	return a
}

// Transposed are the places of a matrix of r rows and c columns in the order of its transpose.
func Transposed(r, c int) []int {
	flat := make([]int, 0, r*c)
	for j := range c {
		for i := range r {
			flat = append(flat, i*c+j)
		}
	}
	return flat
}

// Transpose is the transpose of a matrix.
func (a *Array) Transpose() Array {
	r, c := a.Shape[0], a.Shape[1]
	return a.Take([]int{c, r}, Transposed(r, c))
}

// Stack joins the entries of all parts into one vector.
func Stack(parts ...Array) Array {
	entries, coeffs := 0, 0
	for k := range parts {
		entries, coeffs = entries+parts[k].Len(), coeffs+len(parts[k].Idx)
	}
	out := Array{Ptr: make([]int, 1, entries+1), C: make([]float64, 0, entries), Idx: make([]int, 0, coeffs),
		Val: make([]float64, 0, coeffs)}
	for _, p := range parts {
		for k := range p.Len() {
			out.Push(p.Linear(k))
		}
	}
	out.Shape = []int{len(out.C)}
	return out
}

// Scale returns w·a.
func (a Array) Scale(w float64) Array {
	if w == 1 {
		return a
	}
	out := a
	out.Val, out.C = make([]float64, len(a.Val)), make([]float64, len(a.C))
	for k, v := range a.Val {
		out.Val[k] = w * v
	}
	for k, v := range a.C {
		out.C[k] = w * v
	}
	if out.Lost *= math.Abs(w); w == 0 {
		out.Ptr, out.Idx, out.Val = nil, nil, nil
	}
	return out
}

// AddScaled returns a + w·b, of one shape, or b is a number.
func (a *Array) AddScaled(w float64, b *Array) Array {
	other := func(k int) int { return min(k, len(b.C)-1) } // b may be a number
	out := Array{Shape: a.Shape, C: make([]float64, 0, len(a.C)), Of: a.Of.Join(b.Of)}
	for k, v := range a.C {
		r := Linear{Const: b.C[other(k)], Lost: b.Lost}
		out.Lost = max(out.Lost, Linear{Const: v, Lost: a.Lost}.cancelled(w, r))
	}
	if b.IsConst() { // a has all coefficients
		out.Ptr, out.Idx, out.Val = a.Ptr, a.Idx, a.Val
		for k, v := range a.C {
			out.C = append(out.C, v+w*b.C[other(k)])
		}
		return out
	}
	room := len(a.Idx) + len(b.Idx)
	if b.IsNumber() {
		room = len(a.Idx) + len(b.Idx)*len(a.C)
	}
	out.Ptr, out.Idx, out.Val = make([]int, 1, len(a.C)+1), make([]int, 0, room), make([]float64, 0, room)
	for k := range a.C {
		l, r := a.Linear(k), b.Linear(other(k))
		out.Idx, out.Val = appendScaled(out.Idx, out.Val, l, w, r)
		out.Ptr, out.C = append(out.Ptr, len(out.Idx)), append(out.C, l.Const+w*r.Const)
	}
	return out
}

// Dot is the sum of w[k] times entry k.
func (a *Array) Dot(w []float64) Linear {
	if a.isSelection(1) {
		return a.dotSelection(w)
	}
	return SumLinear(a.Linears(), w)
}

// dotSelection is Dot for plain variables.
func (a *Array) dotSelection(w []float64) Linear {
	some := 0
	for _, v := range w {
		if v != 0 {
			some++
		}
	}
	if some == len(w) {
		return Linear{Idx: a.Idx, Val: slices.Clone(w), Of: a.Of}
	}
	l := Linear{Idx: make([]int, 0, some), Val: make([]float64, 0, some), Of: a.Of}
	for k, v := range w {
		if v != 0 {
			l.Idx, l.Val = append(l.Idx, a.Idx[k]), append(l.Val, v)
		}
	}
	return l
}

// isSelection reports whether each entry is a variable with coefficient 1, and the
// variables of each column of a matrix with cols columns ascend.
func (a *Array) isSelection(cols int) bool {
	if len(a.Idx) != len(a.C) {
		return false
	}
	for k, j := range a.Idx {
		if a.Ptr[k] != k || a.Val[k] != 1 || a.C[k] != 0 || k >= cols && a.Idx[k-cols] >= j {
			return false
		}
	}
	return true
}

// LeftMul is the product m·a of a matrix and a vector or matrix, in the given shape.
func (a *Array) LeftMul(m mat.Matrix, cols int, shape []int) Array {
	r, c := m.Dims()
	if a.isSelection(cols) {
		return a.mulSelection(m, cols, shape)
	}
	out := Array{Shape: shape, Ptr: make([]int, 1, r*cols+1), C: make([]float64, 0, r*cols)}
	parts, w := make([]Linear, 0, c), make([]float64, 0, c)
	for i := range r {
		for k := range cols {
			parts, w = parts[:0], w[:0]
			for j := range c {
				if v := m.At(i, j); v != 0 {
					parts, w = append(parts, a.Linear(j*cols+k)), append(w, v)
				}
			}
			out.Push(SumLinear(parts, w))
		}
	}
	return out
}

// mulSelection is LeftMul for plain variables: the coefficients of the result
// are rows of m.
func (a *Array) mulSelection(m mat.Matrix, cols int, shape []int) Array {
	r, c := m.Dims()
	out := Array{Shape: shape, Ptr: make([]int, 1, r*cols+1), C: make([]float64, r*cols), Of: a.Of}
	out.Idx, out.Val = make([]int, 0, r*cols*c), make([]float64, 0, r*cols*c)
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
				out.Idx, out.Val = append(out.Idx, a.Idx...), append(out.Val, row...)
				out.Ptr = append(out.Ptr, len(out.Idx))
				continue
			}
			for j, v := range row {
				if v != 0 {
					out.Idx, out.Val = append(out.Idx, a.Idx[j*cols+k]), append(out.Val, v)
				}
			}
			out.Ptr = append(out.Ptr, len(out.Idx))
		}
	}
	return out
}

// Size is the number of entries of a shape, −1 where a dimension is negative.
func Size(shape []int) int {
	n := 1
	for _, d := range shape {
		if d < 0 {
			return -1 // no array has it
		}
		n *= d
	}
	return n
}
