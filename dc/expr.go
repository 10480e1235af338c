package dc

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/dcopt/dcopt/internal/graph"
	"gonum.org/v1/gonum/mat"
)

// Expr is an array of functions of a model's variables as they were written, with a shape: none for
// a number, [n] for a vector, [r c] for a matrix, and so on, entries in row-major order. Its
// methods return new values and never change their operands. Indices start at 0. Operations that go
// entry by entry take arrays of one shape, a number beside any array, and an array with the last
// dimensions of the other one, which is repeated along the first ones. The zero value is the number
// 0.
type Expr struct {
	shape []int
	ptr   []int // entry k has the coefficients ptr[k] to ptr[k+1]; nil: no coefficients at all
	idx   []int
	val   []float64
	c     []float64
	fs    []scalar  // not nil: the entries, some of which are not affine; then there are no other numbers
	g     *columnar // not nil: the entries are its members
	of    *space
	lost  float64 // the largest of the entries': see Linear
	err   error
}

func failed(format string, args ...any) Expr { return wrong(fmt.Errorf("dc: "+format, args...)) }

// wrong is an expression that is a mistake.
func wrong(err error) Expr {
	if axis, is := err.(pending); is {
		err = errors.New(axis.Error()) // that no reduction can take any more
	}
	return Expr{err: err, c: []float64{0}}
}

// pending is the axis that the next reduction takes; until then it is a mistake.
type pending int

func (axis pending) Error() string {
	return fmt.Sprintf("dc: Along(%d) must be followed by a reduction, as Norm2 or Sum", int(axis))
}

// Num is the constant v, a number: of shape [].
func Num(v float64) Expr { return Expr{c: []float64{v}} }

// Vec is a constant vector of shape [len(v)]; v is copied.
func Vec(v []float64) Expr { return Const([]int{len(v)}, v) }

// Const is a constant array of the given shape, data in row-major order; both
// are copied.
func Const(shape []int, data []float64) Expr {
	if size(shape) != len(data) {
		return failed("a constant of shape %v needs %d numbers, not %d", shape, size(shape), len(data))
	}
	return Expr{shape: append([]int(nil), shape...), c: append([]float64(nil), data...)}
}

// Mat is a constant matrix of shape [rows columns]; m is copied. A nil m is an error of the result.
func Mat(m mat.Matrix) Expr {
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
	return Expr{shape: []int{r, c}, c: data}
}

// isNil reports whether v is nil or holds a nil pointer.
func isNil(v any) bool {
	r := reflect.ValueOf(v)
	return !r.IsValid() || r.Kind() == reflect.Pointer && r.IsNil()
}

// Entries is the vector of the given functions, of shape [len(rows)]; they are copied.
func Entries(rows ...Linear) Expr {
	total := 0
	for k := range rows {
		total += len(rows[k].Idx)
	}
	a := Expr{shape: []int{len(rows)}, ptr: make([]int, 1, len(rows)+1), c: make([]float64, 0, len(rows))}
	a.idx, a.val = make([]int, 0, total), make([]float64, 0, total)
	for _, l := range rows {
		a.push(l)
	}
	return a
}

// FromLinear is l as a number, of shape []. It keeps the slices of l.
func FromLinear(l Linear) Expr {
	return Expr{ptr: []int{0, len(l.Idx)}, idx: l.Idx, val: l.Val, c: []float64{l.Const}, of: l.of, lost: l.lost}
}

// push appends an entry; the caller sees to the shape.
func (a *Expr) push(l Linear) {
	a.idx, a.val = append(a.idx, l.Idx...), append(a.val, l.Val...)
	a.ptr, a.c = append(a.ptr, len(a.idx)), append(a.c, l.Const)
	a.of, a.lost = a.of.join(l.of), max(a.lost, l.lost)
}

// Err is the first mistake made on the way to a, or nil. An axis that no reduction has taken is
// one.
func (a Expr) Err() error { return a.err }

// Shape is the list of dimensions, empty for a number. Do not change it.
func (a Expr) Shape() []int { return a.shape }

// Len is the number of entries: the product of Shape, 1 for a number.
func (a Expr) Len() int {
	switch {
	case a.fs != nil:
		return len(a.fs)
	case a.g != nil:
		return a.g.N
	case a.c == nil && len(a.shape) == 0:
		return 1
	}
	return len(a.c)
}

// NNZ is the number of coefficients that are stored, of all entries together.
func (a Expr) NNZ() int { return len(a.idx) }

// bent reports whether some entries may not be affine.
func (a *Expr) bent() bool { return a.fs != nil || a.g != nil }

// Linear is the k-th function in row-major order, 0 ≤ k < Len, of an array of affine functions,
// else it panics. Its slices are a's own: do not change them.
func (a *Expr) Linear(k int) Linear {
	switch {
	case a.bent():
		if a.g == nil && a.fs[k].isAffineNow() {
			return a.fs[k].lin
		}
		panic("dc: an entry is not affine")
	case a.c == nil:
		return Linear{}
	case a.ptr == nil:
		return Linear{Const: a.c[k], of: a.of, lost: a.lost}
	}
	lo, hi := a.ptr[k], a.ptr[k+1]
	return Linear{a.idx[lo:hi:hi], a.val[lo:hi:hi], a.c[k], a.of, a.lost}
}

// at is the value of entry k at x.
func (a *Expr) at(k int, x []float64) float64 {
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
func (a *Expr) addRow(dst []float64, w float64, k int) {
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

// triangle is the number of entries on and above the diagonal.
func triangle(n int) int { return n * (n + 1) / 2 }

// place is where entry (i, j) of a symmetric matrix stands in its upper
// triangle, column by column.
func place(i, j int) int { return max(i, j)*(max(i, j)+1)/2 + min(i, j) }

// mirrorTol is how far, relatively, rounding may take mirrored entries apart.
// Source: derived: entries may be sums of products; some million unit roundoffs.
const mirrorTol = 1e-9

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		if d < 0 {
			return -1 // no array has it
		}
		n *= d
	}
	return n
}

// zero gives the zero value its number.
func (a *Expr) zero() {
	if a.c == nil && !a.bent() && len(a.shape) == 0 {
		a.c = []float64{0}
	}
}

// columnar holds entries that are the members of a graph.
type columnar struct {
	*graph.Graph
	member func(g *graph.Graph, of *space, k int) scalar // as an expression
}

// member is entry k of a graph.
func (a *Expr) member(k int) scalar { return a.g.member(a.g.Graph, a.of, k) }
