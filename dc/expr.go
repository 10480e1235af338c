package dc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/expr/rule"
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
	arr expr.Array
	g   *graph.Graph // not nil: the entries are its members
	err error
}

// constants is an array of numbers.
func constants(shape []int, c []float64) Expr { return FromAffine(convex.Array{Shape: shape, C: c}) }

func failed(format string, args ...any) Expr { return wrong(fmt.Errorf("dc: "+format, args...)) }

// wrong is an expression that is a mistake.
func wrong(err error) Expr {
	if axis, is := err.(pending); is {
		err = errors.New(axis.Error()) // that no reduction can take any more
	}
	e := constants(nil, []float64{0})
	e.err = err
	return e
}

// pending is the axis that the next reduction takes; until then it is a mistake.
type pending int

func (axis pending) Error() string {
	return fmt.Sprintf("dc: Along(%d) must be followed by a reduction, as Norm2 or Sum", int(axis))
}

// Num is the constant v, a number: of shape [].
func Num(v float64) Expr { return constants(nil, []float64{v}) }

// Vec is a constant vector of shape [len(v)]; v is copied.
func Vec(v []float64) Expr { return Const([]int{len(v)}, v) }

// Const is a constant array of the given shape, data in row-major order; both
// are copied.
func Const(shape []int, data []float64) Expr {
	if convex.Size(shape) != len(data) {
		return failed("a constant of shape %v needs %d numbers, not %d", shape, convex.Size(shape), len(data))
	}
	return constants(slices.Clone(shape), slices.Clone(data))
}

// Mat is a constant matrix of shape [rows columns]; m is copied. A nil m is an error of the result.
func Mat(m mat.Matrix) Expr {
	if rule.IsNil(m) {
		return failed("a matrix is nil")
	}
	r, c := m.Dims()
	data := make([]float64, 0, r*c)
	for i := range r {
		for j := range c {
			data = append(data, m.At(i, j))
		}
	}
	return constants([]int{r, c}, data)
}

// FromAffine is an array of affine functions as an expression. It keeps the slices of a.
func FromAffine(a convex.Array) Expr { return Expr{arr: expr.Array{Array: a}} }

// FromLinear is l as a number, of shape []. It keeps the slices of l.
func FromLinear(l convex.Linear) Expr { return FromAffine(l.Number()) }

// Err is the first mistake made on the way to a, or nil. An axis that no reduction has taken is
// one.
func (a Expr) Err() error { return a.err }

// Shape is the list of dimensions, empty for a number. Do not change it.
func (a Expr) Shape() []int { return a.arr.Shape }

// Len is the number of entries: the product of Shape, 1 for a number.
func (a Expr) Len() int {
	if a.g != nil {
		return a.g.N
	}
	return a.arr.Len()
}

// NNZ is the number of coefficients that are stored, of all entries together.
func (a Expr) NNZ() int { return len(a.arr.Idx) }

// bent reports whether some entries may not be affine.
func (a *Expr) bent() bool { return a.arr.Fs != nil || a.g != nil }

// Linear is the k-th function in row-major order, 0 ≤ k < Len, of an array of affine functions,
// else it panics. Its slices are a's own: do not change them.
func (a *Expr) Linear(k int) convex.Linear {
	if a.bent() {
		if a.g == nil && a.arr.Fs[k].IsAffineNow() {
			return a.arr.Fs[k].Lin
		}
		panic("dc: an entry is not affine")
	}
	return a.arr.Array.Linear(k)
}

// graphExpr is the array of the members of a graph.
func graphExpr(shape []int, g *graph.Graph, of *convex.Space) Expr {
	return Expr{arr: expr.Array{Array: convex.Array{Shape: shape, Of: of}}, g: g}
}

// member is entry k of a graph.
func (a *Expr) member(k int) expr.Scalar { return family.MemberOf(a.g, a.g.Top(), a.arr.Of, k) }
