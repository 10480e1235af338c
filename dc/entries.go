package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/pass"
	"gonum.org/v1/gonum/mat"
)

// arrayOf is the entries in that shape; where all are affine as they are written, by their
// coefficients.
func arrayOf(shape []int, fs []scalar) Expr {
	out := Expr{arr: listOf(shape, fs)}
	for k := range out.arr.fs {
		if out.arr.fs[k].err != nil {
			return wrong(out.arr.fs[k].err)
		}
	}
	return out
}

// number is e as an expression without a shape.
func number(e scalar) Expr {
	if of := e.owner(); e.err == nil && e.isAffineNow() && (of == nil || of.Wrong == nil) {
		return affineExpr(e.lin.Number())
	}
	return arrayOf(nil, []scalar{e})
}

// as is f of all entries, without an axis.
func (a Expr) as(f func(a array) scalar) Expr {
	if a.err != nil {
		return wrong(a.err)
	}
	return number(f(a.list()))
}

// list is the array with its entries one by one.
func (a *Expr) list() array {
	if a.g == nil {
		return a.arr
	}
	return array{convex.Array{Shape: a.arr.Shape, Of: a.arr.Of}, a.functions()}
}

// scalars are the entries.
func (a Expr) scalars() []scalar {
	all := a.list()
	return all.scalars()
}

// scalar is entry k.
func (a *Expr) scalar(k int) scalar {
	switch {
	case a.err != nil:
		return scalar{err: a.err}
	case a.g != nil:
		return a.member(k)
	}
	return a.arr.scalar(k)
}

// one is the entry of an array that has but one.
func (a Expr) one() scalar {
	switch err := a.Err(); {
	case err != nil:
		return scalar{err: err}
	case a.Len() != 1:
		return badExpr("a number is wanted, not shape %v", a.arr.Shape)
	}
	return a.scalar(0)
}

// each is f of every entry.
func (a Expr) each(f func(scalar) scalar) Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	out := make([]scalar, a.Len())
	for k := range out {
		out[k] = f(a.scalar(k))
	}
	return arrayOf(a.arr.Shape, out)
}

// every reports whether all entries that are not affine by their form meet a condition.
func (a Expr) every(is func(scalar) bool) bool {
	for k := range a.arr.fs {
		if !is(a.arr.fs[k]) {
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
func (a Expr) Plain() bool { return !a.bent() || a.every(scalar.isAffineAsWritten) }

// Value is the value of a number at x, computed from the expression as it was written; x has a
// number for each entry of each variable of the model: Problem.NumVars of them. It is NaN where
// terms of either sign are infinite, and for an array with other than one entry: see Values.
func (a Expr) Value(x []float64) float64 {
	switch {
	case a.err != nil || a.Len() != 1:
		return math.NaN()
	case a.bent():
		e := a.scalar(0)
		return e.value(x)
	case a.arr.C == nil:
		return 0
	}
	return a.arr.At(0, x)
}

// ValuesTo writes the entries' values at x to dst, of length Len, in row-major order.
func (a Expr) ValuesTo(dst, x []float64) { a.valueTo(dst, x) }

func (a *Expr) valueTo(dst, x []float64) {
	if a.g != nil {
		a.columnValues(dst, x)
		return
	}
	a.arr.valueTo(dst, x)
}

// Values is ValuesTo into a new slice, of length Len.
func (a Expr) Values(x []float64) []float64 {
	dst := make([]float64, a.Len())
	a.valueTo(dst, x)
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
	return all.support()
}

// Stack joins the entries of all parts, of any shapes, each in row-major order, into one
// vector. The first error of a part is the error of the result.
func Stack(parts ...Expr) Expr {
	all, affines, bent := []scalar(nil), make([]convex.Array, len(parts)), false
	for k := range parts {
		if err := parts[k].Err(); err != nil {
			return wrong(err)
		}
		affines[k], bent = parts[k].arr.Array, bent || parts[k].bent()
	}
	if !bent {
		return affineExpr(convex.Stack(affines...))
	}
	for k := range parts {
		all = append(all, parts[k].scalars()...)
	}
	return arrayOf([]int{len(all)}, all)
}

// functions are the entries of an array that is bent.
func (a *Expr) functions() []scalar {
	if a.g == nil {
		return a.arr.fs
	}
	out := make([]scalar, a.g.N)
	for i := range out {
		out[i] = a.member(i)
	}
	return out
}

// columnValues are the values of a graph at x.
func (a *Expr) columnValues(dst, x []float64) {
	pass.NewPlan(a.g.Graph).Values(x, func(b *pass.Block) { copy(dst[b.Lo:], b.Values) })
}
