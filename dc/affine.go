package dc

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Affine is an array of affine functions of a model's variables, with a shape:
// none for a scalar, [n] for a vector, [r c] for a matrix, and so on, entries in
// row-major order. Its methods return new values and never change their
// operands. Indices start at 0.
type Affine struct {
	shape []int
	ptr   []int // entry k has the coefficients ptr[k] to ptr[k+1]; nil: no coefficients at all
	idx   []int
	val   []float64
	c     []float64
	of    *space
	lost  float64 // the largest of the entries': see Linear
	err   error
}

var errNoValue = errors.New("dc: the zero Affine is no value; make one with Num, Vec or Model.Var")

func failed(format string, args ...any) Affine {
	return Affine{err: fmt.Errorf("dc: "+format, args...), c: []float64{0}}
}

// Num is the constant v, a scalar: of shape [].
func Num(v float64) Affine { return Affine{c: []float64{v}} }

// Vec is a constant vector of shape [len(v)]; v is copied.
func Vec(v []float64) Affine { return Const([]int{len(v)}, v) }

// Const is a constant array of the given shape, data in row-major order; both
// are copied.
func Const(shape []int, data []float64) Affine {
	if size(shape) != len(data) {
		return failed("a constant of shape %v needs %d numbers, not %d", shape, size(shape), len(data))
	}
	return Affine{shape: append([]int(nil), shape...), c: append([]float64(nil), data...)}
}

// Mat is a constant matrix of shape [rows columns]; m is copied. A nil m gives an Affine
// with an error.
func Mat(m mat.Matrix) Affine {
	if isNil(m) {
		return failed("a matrix is nil")
	}
	r, c := m.Dims()
	data := make([]float64, 0, r*c)
	for i := range r {
		for j := range c {
			data = append(data, m.At(i, j))
		}
	}
	return Affine{shape: []int{r, c}, c: data}
}

// isNil reports whether v is nil or holds a nil pointer.
func isNil(v any) bool {
	r := reflect.ValueOf(v)
	return !r.IsValid() || r.Kind() == reflect.Pointer && r.IsNil()
}

// Entries is the vector of the given functions, of shape [len(rows)]; they are copied.
func Entries(rows ...Linear) Affine {
	total := 0
	for k := range rows {
		total += len(rows[k].Idx)
	}
	a := Affine{shape: []int{len(rows)}, ptr: make([]int, 1, len(rows)+1), c: make([]float64, 0, len(rows))}
	a.idx, a.val = make([]int, 0, total), make([]float64, 0, total)
	for _, l := range rows {
		a.push(l)
	}
	return a
}

// FromLinear is l as a scalar, of shape []. It keeps the slices of l.
func FromLinear(l Linear) Affine {
	return Affine{ptr: []int{0, len(l.Idx)}, idx: l.Idx, val: l.Val, c: []float64{l.Const}, of: l.of, lost: l.lost}
}

// push appends an entry; the caller sees to the shape.
func (a *Affine) push(l Linear) {
	a.idx, a.val = append(a.idx, l.Idx...), append(a.val, l.Val...)
	a.ptr, a.c = append(a.ptr, len(a.idx)), append(a.c, l.Const)
	a.of, a.lost = a.of.join(l.of), max(a.lost, l.lost)
}

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Err is the first mistake made on the way to a, or nil.
func (a Affine) Err() error {
	if a.err == nil && a.c == nil && size(a.shape) != 0 {
		return errNoValue
	}
	return a.err
}

// Shape is the list of dimensions, empty for a scalar. Do not change it.
func (a Affine) Shape() []int { return a.shape }

// Len is the number of entries: the product of Shape, 1 for a scalar.
func (a Affine) Len() int { return len(a.c) }

// NNZ is the number of coefficients that are stored, of all entries together.
func (a Affine) NNZ() int { return len(a.idx) }

// IsConst reports whether no variable occurs in any entry.
func (a Affine) IsConst() bool { return len(a.idx) == 0 }

// Entry is the k-th function in row-major order, 0 ≤ k < Len, else it panics. Its slices
// are a's own: do not change them.
func (a Affine) Entry(k int) Linear {
	if a.ptr == nil {
		return Linear{Const: a.c[k], of: a.of, lost: a.lost}
	}
	lo, hi := a.ptr[k], a.ptr[k+1]
	return Linear{a.idx[lo:hi:hi], a.val[lo:hi:hi], a.c[k], a.of, a.lost}
}

// ValueTo writes the entries' values at x to dst, of length Len, in row-major order. x has
// a number for each entry of each variable of the model: Problem.NumVars of them.
func (a Affine) ValueTo(dst, x []float64) { a.valueTo(dst, x) }

func (a *Affine) valueTo(dst, x []float64) {
	v := a.values(x)
	for k := range a.c {
		dst[k] = v.at(k)
	}
}

// Value is ValueTo into a new slice, of length Len.
func (a Affine) Value(x []float64) []float64 {
	dst := make([]float64, a.Len())
	a.ValueTo(dst, x)
	return dst
}

// Matrix is the value at x of a matrix; a vector is a column. It is nil for
// other shapes.
func (a Affine) Matrix(x []float64) *mat.Dense {
	if len(a.shape) > 2 || a.Len() == 0 {
		return nil
	}
	r := 1
	if len(a.shape) > 0 {
		r = a.shape[0]
	}
	return mat.NewDense(r, a.Len()/r, a.Value(x))
}

// at is the value of entry k at x.
func (a *Affine) at(k int, x []float64) float64 {
	s := a.c[k]
	if a.ptr == nil {
		return s
	}
	lo, hi := a.ptr[k], a.ptr[k+1]
	val := a.val[lo:hi]
	for i, j := range a.idx[lo:hi] {
		s += val[i] * x[j]
	}
	return s
}

// addRow adds w times the coefficients of entry k to dst.
func (a *Affine) addRow(dst []float64, w float64, k int) {
	if a.ptr == nil || w == 0 {
		return
	}
	lo, hi := a.ptr[k], a.ptr[k+1]
	idx, val := a.idx[lo:hi], a.val[lo:hi]
	if n := len(idx); n > 2 && idx[n-1]-idx[0] == n-1 { // a run
		dst = dst[idx[0] : idx[0]+n]
		for i, v := range val[:n] {
			dst[i] += w * v
		}
		return
	}
	for i, j := range idx {
		dst[j] += w * val[i]
	}
}

func (a *Affine) support() []int { return union(a.idx) }

// Stack joins the entries of all parts, of any shapes, each in row-major order, into one
// vector. The first error of a part is that of the result.
func Stack(parts ...Affine) Affine {
	entries, coeffs := 0, 0
	for k := range parts {
		entries, coeffs = entries+len(parts[k].c), coeffs+len(parts[k].idx)
	}
	out := Affine{ptr: make([]int, 1, entries+1), c: make([]float64, 0, entries), idx: make([]int, 0, coeffs), val: make([]float64, 0, coeffs)}
	for _, p := range parts {
		if err := p.Err(); err != nil {
			return Affine{err: err, c: []float64{0}}
		}
		for k := range p.c {
			out.push(p.Entry(k))
		}
	}
	out.shape = []int{len(out.c)}
	return out
}

// Add returns a + b, entry by entry; a scalar operand is broadcast. Two other shapes
// must be the same, or the result has an error.
func (a Affine) Add(b Affine) Affine { return a.combine("sum", 1, b) }

// Sub returns a − b, entry by entry, with shapes as for Add.
func (a Affine) Sub(b Affine) Affine { return a.combine("difference", -1, b) }

func (a Affine) combine(what string, w float64, b Affine) Affine {
	if err := errors.Join(a.Err(), b.Err()); err != nil {
		return Affine{err: err, c: []float64{0}}
	}
	if len(a.shape) == 0 && len(b.shape) > 0 {
		return b.Scale(w).combine(what, 1, a)
	}
	scalar := len(b.shape) == 0
	if !scalar && !slices.Equal(a.shape, b.shape) {
		return failed("%s of shapes %v and %v", what, a.shape, b.shape)
	}
	out := Affine{shape: a.shape, c: make([]float64, 0, len(a.c)), of: a.of.join(b.of)}
	if out.of != nil && out.of.wrong != nil { // equal coefficients of two models would cancel
		return Affine{err: out.of.wrong, c: []float64{0}}
	}
	for k, v := range a.c {
		i := k
		if scalar {
			i = 0
		}
		out.lost = max(out.lost, Linear{Const: v, lost: a.lost}.cancelled(w, Linear{Const: b.c[i], lost: b.lost}))
	}
	if a.IsConst() && b.IsConst() {
		for k, v := range a.c {
			if !scalar {
				out.c = append(out.c, v+w*b.c[k])
			} else {
				out.c = append(out.c, v+w*b.c[0])
			}
		}
		return out
	}
	if b.IsConst() { // the coefficients are those of a
		out.ptr, out.idx, out.val = a.ptr, a.idx, a.val
		for k, v := range a.c {
			i := k
			if scalar {
				i = 0
			}
			out.c = append(out.c, v+w*b.c[i])
		}
		return out
	}
	room := len(a.idx) + len(b.idx)
	if scalar {
		room = len(a.idx) + len(b.idx)*len(a.c)
	}
	out.ptr, out.idx, out.val = make([]int, 1, len(a.c)+1), make([]int, 0, room), make([]float64, 0, room)
	for k := range a.c {
		i := k
		if scalar {
			i = 0
		}
		l, r := a.Entry(k), b.Entry(i)
		out.idx, out.val = appendScaled(out.idx, out.val, l, w, r)
		out.ptr, out.c = append(out.ptr, len(out.idx)), append(out.c, l.Const+w*r.Const)
	}
	return out
}

// Neg returns −a, of the shape of a.
func (a Affine) Neg() Affine { return a.Scale(-1) }

// Scale returns w·a, of the shape of a, for a w of any sign.
func (a Affine) Scale(w float64) Affine {
	if a.Err() != nil || w == 1 {
		return a
	}
	out := a
	out.val, out.c = make([]float64, len(a.val)), make([]float64, len(a.c))
	for k, v := range a.val {
		out.val[k] = w * v
	}
	for k, v := range a.c {
		out.c[k] = w * v
	}
	if out.lost *= math.Abs(w); w == 0 {
		out.ptr, out.idx, out.val = nil, nil, nil
	}
	return out
}

// ScaleEach multiplies entry k, in row-major order, by w[k], and keeps the shape. The
// result has an error unless len(w) = Len.
func (a Affine) ScaleEach(w []float64) Affine {
	if a.Err() != nil {
		return a
	}
	if len(w) != a.Len() {
		return failed("%d factors for the %d entries of shape %v", len(w), a.Len(), a.shape)
	}
	out := Affine{shape: a.shape, ptr: make([]int, 1, len(a.c)+1), c: make([]float64, 0, len(a.c))}
	for k := range a.c {
		out.push(a.Entry(k).Scale(w[k]))
	}
	return out
}

// sameEntries reports whether two arrays hold the same functions.
func sameEntries(a, b *Affine) bool {
	if a.of != nil && b.of != nil && a.of != b.of || len(a.c) != len(b.c) || len(a.idx) != len(b.idx) {
		return false
	}
	for k := range a.c {
		if !a.Entry(k).equal(b.Entry(k)) {
			return false
		}
	}
	return true
}

// triangle is the number of entries on and above the diagonal.
func triangle(n int) int { return n * (n + 1) / 2 }

// place is where entry (i, j) of a symmetric matrix stands in its upper
// triangle, column by column.
func place(i, j int) int { return max(i, j)*(max(i, j)+1)/2 + min(i, j) }

// mirrorTol is how far, relatively, rounding may take mirrored entries apart.
// Source: derived: entries may be sums of products; some million unit roundoffs.
const mirrorTol = 1e-9
