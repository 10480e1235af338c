package verify

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/verify/internal/safe"
)

// axis is a dimension: its members in order, or nil where it counts from origin.
type axis struct {
	origin  int
	members []member
}

// label is the index k, from 0, as results have it.
func (a *axis) label(k int) any {
	switch {
	case a.members == nil:
		return a.origin + k
	case len(a.members[k]) == 1:
		return a.members[k][0]
	}
	return a.members[k]
}

// member is an element of a set: numbers and words, several for a pair.
type member []any

func (m member) equal(o member) bool { return slices.Equal(m, o) }

// value is an array of expressions, row by row; or a set, or a word.
type value struct {
	shape []int
	axes  []axis // of each dimension
	e     []*expr
	set   []member
	isSet bool
	word  any // a string, or a member with several parts; nil: none
}

func scalar(e *expr) value      { return value{e: []*expr{e}} }
func numeric(v float64) value   { return scalar(number(v)) }
func vector(es []*expr) value   { return array([]int{len(es)}, es) }
func (v *value) isScalar() bool { return len(v.e) == 1 }

func array(shape []int, es []*expr) value {
	v := value{shape: shape, e: es, axes: make([]axis, len(shape))}
	for d := range v.axes {
		v.axes[d].origin = 1
	}
	return v
}

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		if d < 0 || d > 0 && n > mostWork/unitsEntry/d {
			safe.Fail("no array has the shape %v, or it is too large", shape)
		}
		n *= d
	}
	return n
}

// data is the numbers of a value.
func (v *value) data(what string) []float64 {
	out := make([]float64, len(v.e))
	for k, e := range v.e {
		if !e.isConst() {
			safe.Fail("%s depends on a variable", what)
		}
		out[k] = e.num
	}
	return out
}

// real is the one number of a value.
func (v *value) real(what string) float64 {
	if v.isSet || v.word != nil || len(v.e) != 1 || !v.e[0].isConst() {
		safe.Fail("%s is no number", what)
	}
	return v.e[0].num
}

func (v *value) whole(what string) int {
	x := v.real(what)
	n := int(math.Round(x))
	if math.Abs(x-float64(n)) > 1e-9*max(1, math.Abs(x)) || math.Abs(x) > 1<<53 {
		safe.Fail("%s is %g, no whole number", what, x)
	}
	return n
}

// each applies f to every entry.
func (v value) each(f func(*expr) *expr) value {
	es := make([]*expr, len(v.e))
	for k, e := range v.e {
		es[k] = f(e)
	}
	return value{shape: v.shape, axes: v.axes, e: es}
}

// pair applies f entry by entry; an array with one entry goes with any shape.
func pair(a, b value, f func(a, b *expr) *expr) value {
	return together([]value{a, b}, func(es []*expr) *expr { return f(es[0], es[1]) })
}

// longest is the value whose shape the entries of values have together.
func longest(vs []value) value {
	long := vs[0]
	for _, v := range vs {
		switch {
		case v.isSet || v.word != nil:
			safe.Fail("a set or a word stands where numbers are wanted")
		case len(v.e) == 0:
			return v
		case len(v.e) > len(long.e) || len(long.e) == 1 && len(v.shape) > len(long.shape):
			long = v
		}
	}
	return long
}

// together applies f to the entries of values. A single one goes with all.
func together(vs []value, f func(es []*expr) *expr) value {
	long := longest(vs)
	out := value{shape: long.shape, axes: long.axes, e: make([]*expr, len(long.e))}
	for k := range out.e {
		es := make([]*expr, len(vs))
		for i, v := range vs {
			if len(v.e) != len(long.e) && len(v.e) != 1 {
				safe.Fail("shapes %v and %v differ", long.shape, v.shape)
			}
			es[i] = v.e[min(k, len(v.e)-1)]
		}
		out.e[k] = f(es)
	}
	return out
}

// matrix is the rows and columns of a value, of which a vector is a column.
func (v *value) matrix() (rows, cols int) {
	switch len(v.shape) {
	case 0:
		return 1, 1
	case 1:
		return v.shape[0], 1
	case 2:
		return v.shape[0], v.shape[1]
	}
	safe.Fail("an array with %d dimensions is no matrix", len(v.shape))
	return 0, 0
}

// times is the product of the language: of matrices and vectors, which have no direction.
func times(a, b value) value {
	if a.isScalar() || b.isScalar() {
		return pair(a, b, product)
	}
	m, n := a.matrix()
	rows, p := b.matrix()
	var shape []int
	if len(a.shape) == 2 {
		shape = append(shape, m)
	} else {
		m, n = 1, m
	}
	if len(b.shape) == 2 {
		shape = append(shape, p)
	}
	if n != rows {
		safe.Fail("no product of shapes %v and %v", a.shape, b.shape)
	}
	out := make([]*expr, m*p)
	for k := range out {
		es := make([]*expr, n)
		for l := range es {
			es[l] = product(a.e[k/p*n+l], b.e[l*p+k%p])
		}
		out[k] = plus(es)
	}
	return array(shape, out)
}

// transpose is that of a matrix; a vector has no direction.
func transpose(v value) value {
	v = v.each(conj)
	if len(v.shape) < 2 {
		return v
	}
	m, n := v.matrix()
	es := make([]*expr, m*n)
	for i := range m {
		for j := range n {
			es[j*m+i] = v.e[i*n+j]
		}
	}
	out := array([]int{n, m}, es)
	out.axes[0], out.axes[1] = v.axes[1], v.axes[0]
	return out
}

// literal is an array by rows, whose elements may be arrays. A row of numbers and vectors is a
// vector.
func (s *scope) literal(n *syntax.Node) value {
	var es []*expr
	rows, cols := 0, -1
	for _, r := range n.Rows {
		var vs []value
		var row []*expr
		flat := true
		for _, a := range r {
			v := s.plain(a)
			vs, row, flat = append(vs, v), append(row, v.e...), flat && len(v.shape) <= 1
		}
		block := array([]int{1, len(row)}, row)
		if !flat {
			block = beside(vs)
		} else if len(n.Rows) == 1 {
			return vector(row)
		}
		m, c := block.matrix()
		if cols >= 0 && c != cols {
			safe.Fail("rows of a matrix have %d and %d columns", cols, c)
		}
		rows, cols = rows+m, c
		es = append(es, block.e...)
	}
	if len(n.Rows) == 0 {
		return vector(nil)
	}
	return array([]int{rows, cols}, es)
}

// beside puts matrices side by side.
func beside(vs []value) value {
	rows, _ := vs[0].matrix()
	cols := 0
	for k := range vs {
		m, c := vs[k].matrix()
		if m != rows {
			safe.Fail("matrices side by side have %d and %d rows", rows, m)
		}
		cols += c
	}
	es := make([]*expr, 0, rows*cols)
	for i := range rows {
		for k := range vs {
			_, c := vs[k].matrix()
			es = append(es, vs[k].e[i*c:(i+1)*c]...)
		}
	}
	return array([]int{rows, cols}, es)
}

// A complex number is an expression with opComplex and two arguments, its parts. It occurs in
// values alone: rows and the objective are real.

func complexOf(re, im *expr) *expr { return &expr{op: opComplex, args: []*expr{re, im}} }

func (e *expr) isComplex() bool { return e.op == opComplex }

func anyComplex(es []*expr) bool { return slices.ContainsFunc(es, (*expr).isComplex) }

// re and im are the parts of a number.
func re(e *expr) *expr {
	if e.isComplex() {
		return e.args[0]
	}
	return e
}

func im(e *expr) *expr {
	if e.isComplex() {
		return e.args[1]
	}
	return number(0)
}

func conj(e *expr) *expr {
	if e.isComplex() {
		return complexOf(e.args[0], scaled(-1, e.args[1]))
	}
	return e
}

// noImaginary is how many times the bound of its rounding errors an imaginary part may be that has
// none. Source: derived: thousands of terms, as an affine function here may have.
const noImaginary = 0x1p12

// real is the real part of a number whose imaginary part is 0, but for rounding errors of
// affine functions; others stay as they are.
func real(e *expr) *expr {
	if !e.isComplex() {
		return e
	}
	coefs, c, ok := affine(im(e))
	none := func(v safe.Span) bool { return math.Abs(v.Mid()) <= noImaginary*(v.Hi-v.Lo) }
	for _, v := range coefs {
		ok = ok && none(v)
	}
	if ok && none(c) {
		return re(e)
	}
	return e
}

// parts applies a function to all real and to all imaginary parts.
func parts(es []*expr, f func(es []*expr) *expr) *expr {
	u, v := make([]*expr, len(es)), make([]*expr, len(es))
	for k, e := range es {
		u[k], v[k] = re(e), im(e)
	}
	return complexOf(f(u), f(v))
}

// sum2 is w·a + v·b, a number of numbers.
func sum2(w float64, a *expr, v float64, b *expr) *expr {
	return total([]*expr{a, b}, []float64{w, v})
}

func complexProduct(a, b *expr) *expr {
	return complexOf(sum2(1, product(re(a), re(b)), -1, product(im(a), im(b))),
		sum2(1, product(re(a), im(b)), 1, product(im(a), re(b))))
}
