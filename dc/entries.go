package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/graph/pass"
	"gonum.org/v1/gonum/mat"
)

// arrayOf is the entries in that shape; where all are affine as they are written, by their
// coefficients.
func arrayOf(shape []int, fs []scalar) Expr {
	affine := true
	for k := range fs {
		if fs[k].err != nil {
			return wrong(fs[k].err)
		}
		affine = affine && fs[k].isAffineNow()
	}
	out := Expr{shape: shape, fs: fs, of: ownerOf(fs...)}
	switch {
	case out.of != nil && out.of.wrong != nil:
		return wrong(out.of.wrong)
	case !affine:
		return out
	}
	lins := make([]Linear, len(fs))
	for k := range fs {
		lins[k] = fs[k].lin
	}
	out = Entries(lins...)
	out.shape = shape
	return out
}

// array is e as an expression without a shape.
func (e scalar) array() Expr {
	switch of := e.owner(); {
	case e.err != nil:
		return wrong(e.err)
	case of != nil && of.wrong != nil:
		return wrong(of.wrong)
	case e.isAffineNow():
		return FromLinear(e.lin)
	default:
		return Expr{fs: []scalar{e}, of: of}
	}
}

// scalars are the entries.
func (a Expr) scalars() []scalar {
	if a.bent() {
		return a.functions()
	}
	out := make([]scalar, a.Len())
	for k := range out {
		out[k] = a.scalar(k)
	}
	return out
}

// scalar is entry k.
func (a *Expr) scalar(k int) scalar {
	switch {
	case a.err != nil:
		return scalar{err: a.err}
	case a.fs != nil:
		return a.fs[k]
	case a.g != nil:
		return a.member(k)
	case a.c == nil:
		return scalar{}
	}
	return scalar{lin: a.Linear(k)}
}

// one is the entry of an array that has but one.
func (a Expr) one() scalar {
	switch err := a.Err(); {
	case err != nil:
		return scalar{err: err}
	case a.Len() != 1:
		return badExpr("a number is wanted, not shape %v", a.shape)
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
	return arrayOf(a.shape, out)
}

// isNumber reports whether a has one entry and no shape.
func (a *Expr) isNumber() bool { return len(a.shape) == 0 }

// every reports whether all entries that are not affine by their form meet a condition.
func (a Expr) every(is func(scalar) bool) bool {
	for k := range a.fs {
		if !is(a.fs[k]) {
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
	case a.c == nil:
		return 0
	}
	return a.at(0, x)
}

// ValuesTo writes the entries' values at x to dst, of length Len, in row-major order.
func (a Expr) ValuesTo(dst, x []float64) { a.valueTo(dst, x) }

func (a *Expr) valueTo(dst, x []float64) {
	if a.fs != nil {
		for k := range a.fs {
			dst[k] = a.fs[k].value(x)
		}
		return
	}
	if a.g != nil {
		a.columnValues(dst, x)
		return
	}
	v := a.values(x)
	for k := range a.c {
		dst[k] = v.at(k)
	}
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
	if len(a.shape) > 2 || a.Len() == 0 {
		return nil
	}
	r := 1
	if len(a.shape) > 0 {
		r = a.shape[0]
	}
	return mat.NewDense(r, a.Len()/r, a.Values(x))
}

func (a *Expr) support() []int {
	lists := [][]int{a.idx}
	for _, e := range a.functions() {
		lists = append(lists, e.support())
	}
	return union(lists...)
}

// Stack joins the entries of all parts, of any shapes, each in row-major order, into one
// vector. The first error of a part is the error of the result.
func Stack(parts ...Expr) Expr {
	entries, coeffs, affine := 0, 0, true
	for k := range parts {
		if err := parts[k].Err(); err != nil {
			return wrong(err)
		}
		entries, coeffs = entries+parts[k].Len(), coeffs+len(parts[k].idx)
		affine = affine && !parts[k].bent()
	}
	if !affine {
		all := make([]scalar, 0, entries)
		for k := range parts {
			for i := range parts[k].Len() {
				all = append(all, parts[k].scalar(i))
			}
		}
		return arrayOf([]int{len(all)}, all)
	}
	out := Expr{ptr: make([]int, 1, entries+1), c: make([]float64, 0, entries), idx: make([]int, 0, coeffs),
		val: make([]float64, 0, coeffs)}
	for _, p := range parts {
		for k := range p.Len() {
			out.push(p.Linear(k))
		}
	}
	out.shape = []int{len(out.c)}
	return out
}

// functions are the entries of an array that is bent.
func (a *Expr) functions() []scalar {
	if a.g == nil {
		return a.fs
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
