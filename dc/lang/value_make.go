package lang

import (
	"math"
	"slices"
	"sort"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/arrays"
)

// scalars are the arrays of scalar numbers and truths.
var scalars = [...]cells{numbers: {}, truth: {sort: truth}}

func number(x float64) value { return value{x, &scalars[numbers]} }

func truthOf(ok bool) value {
	if ok {
		return value{1, &scalars[truth]}
	}
	return value{0, &scalars[truth]}
}

func textOf(s string) value { return value{0, &cells{sort: text, more: &details{str: s}}} }

func vector(v []float64) value { return value{0, &cells{shape: []int{len(v)}, num: v}} }

// array is numbers in a shape; without one, the only number.
func array(shape []int, v []float64) value {
	if len(shape) == 0 {
		return number(v[0])
	}
	return value{0, &cells{shape: shape, num: v}}
}

func fromLinear(l dc.Linear) value {
	c := &struct { // in one piece of memory
		cells
		l dc.Linear
	}{cells{sort: affine}, l}
	c.lin = &c.l
	return value{0, &c.cells}
}

func fromAffine(a dc.Affine) value {
	if len(a.Shape()) == 0 {
		return fromLinear(a.Entry(0))
	}
	c := &struct {
		cells
		a dc.Affine
	}{cells{sort: affine, shape: a.Shape()}, a}
	c.aff = &c.a
	return value{0, &c.cells}
}

// fromExpr is a scalar expression.
func fromExpr(e dc.Expr, k cost) value {
	if e.IsAffine() {
		return fromLinear(linearOf(e))
	}
	c := &struct {
		cells
		e [1]dc.Expr
	}{cells{sort: general, cost: k}, [1]dc.Expr{e}}
	c.exprs = c.e[:]
	return value{0, &c.cells}
}

// generalOf is expressions that are not all affine.
func generalOf(shape []int, es []dc.Expr, c cost) value {
	return value{0, &cells{sort: general, shape: shape, exprs: es, cost: c}}
}

// countFrom is v with other first indices.
func (v value) countFrom(origin []int) value {
	if len(v.shape) == 0 || origin == nil && (v.more == nil || v.sort == sparseNumbers) {
		return v
	}
	a := *v.cells
	if a.more = nil; origin != nil {
		a.more = &details{origin: origin}
	}
	return value{v.x, &a}
}

// costed is v with another cost; data have none.
func (v value) costed(c cost) value {
	if v.sort != general {
		return v
	}
	a := *v.cells
	a.cost = c
	return value{v.x, &a}
}

// fromExprs makes an array of expressions, of affine functions if all are.
func fromExprs(shape []int, es []dc.Expr, c cost) value {
	if len(shape) == 0 {
		return fromExpr(es[0], c)
	}
	allAffine := true
	for k := range es {
		allAffine = allAffine && es[k].IsAffine()
	}
	if !allAffine {
		return generalOf(shape, es, c)
	}
	rows := make([]dc.Linear, len(es))
	for k := range es {
		rows[k] = linearOf(es[k])
	}
	return fromAffine(dc.Entries(rows...).Reshape(shape...))
}

// fromEach is fromExprs of expressions by their places.
func fromEach(shape []int, c cost, e func(k int) dc.Expr) value {
	if len(shape) == 0 {
		return fromExpr(e(0), c)
	}
	es := make([]dc.Expr, size(shape))
	for k := range es {
		es[k] = e(k)
	}
	return fromExprs(shape, es, c)
}

// entry is the k-th entry as a scalar.
func (v *value) entry(k int) value {
	switch v.sort {
	case general:
		return generalOf(nil, v.exprs[k:k+1:k+1], v.share(1))
	case affine:
		return fromLinear(v.linear(k))
	}
	return number(v.at(k))
}

// choose picks entries by their places into a shape.
func (v *value) choose(shape, flat []int) value {
	switch v.sort {
	case general:
		es := make([]dc.Expr, len(flat))
		for i, k := range flat {
			es[i] = v.exprs[k]
		}
		return generalOf(shape, es, v.share(len(flat)))
	case affine:
		if len(shape) == 0 {
			return fromLinear(v.linear(flat[0]))
		}
		return fromAffine(v.affine().Select(shape, flat))
	}
	if len(shape) == 0 {
		return number(v.at(flat[0]))
	}
	if lo, ok := run(flat); ok && len(v.shape) > 0 {
		return v.marking(array(shape, v.num[lo:lo+len(flat):lo+len(flat)]))
	}
	out := make([]float64, len(flat))
	for i, k := range flat {
		out[i] = v.at(k)
	}
	return v.marking(array(shape, out))
}

// run reports whether places ascend by one, and the first of them.
func run(flat []int) (first int, ok bool) {
	for k := range flat {
		if flat[k] != flat[0]+k {
			return 0, false
		}
	}
	if len(flat) == 0 {
		return 0, false
	}
	return flat[0], true
}

// reshape gives the same entries another shape, counted from 1.
func (v value) reshape(shape ...int) value {
	switch v.sort {
	case numbers:
		return v.marking(array(shape, v.numbers()))
	case affine:
		return fromAffine(v.affine().Reshape(shape...))
	}
	a := *v.cells
	a.shape, a.more = shape, nil
	return value{v.x, &a}
}

// with is a value of the same shape with other numbers.
func (v *value) with(num []float64) value { return array(v.shape, num) }

// constant is an array of the shape of v.
func (v *value) constant(x float64) value {
	num := make([]float64, v.len())
	for k := range num {
		num[k] = x
	}
	return v.with(num)
}

// scalarAt is the k-th entry, or the only one, as an affine scalar; the value
// must not be general.
func (v *value) scalarAt(k int) dc.Affine {
	k = min(k, v.len()-1)
	if v.sort == affine {
		return dc.FromLinear(v.linear(k))
	}
	return dc.Num(v.at(k))
}

// operands are the entries of a value.
func operands(v *value) []dc.Operand {
	out := make([]dc.Operand, v.len())
	for k := range out {
		out[k] = v.expr(k)
	}
	return out
}

// value is the set as a value; whole numbers are a vector.
func (s *memberSet) value() value {
	if list, ok := s.plain(); ok {
		return vector(list)
	}
	return value{0, &cells{sort: members, shape: []int{len(s.list)}, more: &details{set: s}}}
}

// axes are the dimensions of an array with the indices that they have.
type axes struct {
	shape  []int
	origin []int        // the first index, where it is a run of them, or
	sets   []*memberSet // not nil: the members of a set
}

func (a *axes) add(n, first int, set *memberSet) {
	a.shape, a.origin, a.sets = append(a.shape, n), append(a.origin, first), append(a.sets, set)
}

// plain reports whether all indices count from 1.
func (a *axes) plain() bool {
	for d, o := range a.origin {
		if o != 1 || a.sets[d] != nil {
			return false
		}
	}
	return true
}

// along is v, of the shape of the axes, with their indices.
func (v value) along(a *axes) value {
	plain := true
	for _, s := range a.sets {
		plain = plain && s == nil
	}
	v = v.countFrom(a.origin)
	if !plain {
		c := *v.cells
		c.more = &details{origin: a.origin, sets: a.sets}
		v = value{v.x, &c}
	}
	return v
}

// marked is a new array of data that knows whether it has infinite entries.
func marked(v value) value {
	for _, x := range v.num {
		if math.IsInf(x, 0) {
			v.infinite = true
			break
		}
	}
	return v
}

// withoutInf is data with 0 for infinite entries.
func (v value) withoutInf() value {
	if !v.hasInf() {
		return v
	}
	out := make([]float64, v.len())
	for k := range out {
		if x := v.at(k); !math.IsInf(x, 0) {
			out[k] = x
		}
	}
	return v.with(out)
}

// marking is a new array of entries of v, marked where they are infinite.
func (v *value) marking(out value) value {
	if !v.hasInf() || len(out.shape) == 0 {
		return out
	}
	return marked(out)
}

// complexOf is an array with these parts, of which a scalar imaginary one is that of all
// entries: a real array where all imaginary parts are 0.
func complexOf(re, im value) value {
	re, im = filled(re, &im), filled(im, &re)
	if vanishes(&re, &im) {
		return re
	}
	c := &cells{sort: complexPairs, shape: re.shape, more: &details{origin: re.origin(), sets: re.sets(), pair: &pair{re, im}}}
	return value{0, c}
}

// filled is v with the shape of another value where it is a scalar.
func filled(v value, like *value) value {
	if len(v.shape) > 0 || len(like.shape) == 0 {
		return v
	}
	return v.choose(like.shape, make([]int, size(like.shape)))
}

// cancelled is how large, relative to the coefficients of the real part, rounding may
// leave a coefficient of an imaginary part that cancels.
// Source: derived: rounding of sums of some 1e3 products in float64.
const cancelled = 1e-13

// vanishes reports whether an imaginary part is 0: of data exactly, of affine functions
// but for rounding, as that of trace(A*X) for Hermitian A and X.
func vanishes(re, im *value) bool {
	switch im.sort {
	case numbers:
		return !slices.ContainsFunc(im.numbers(), func(x float64) bool { return x != 0 })
	case affine:
		top := 0.0
		if re.sort == affine {
			top = largestCoefficient(re)
		}
		return largestCoefficient(im) <= cancelled*top
	}
	return false
}

// largestCoefficient is the largest modulus of a coefficient or constant of affine functions.
func largestCoefficient(v *value) float64 {
	top := 0.0
	for k := range v.len() {
		l := v.linear(k)
		top = max(top, math.Abs(l.Const))
		for _, w := range l.Val {
			top = max(top, math.Abs(w))
		}
	}
	return top
}

// both applies f to the parts of complex numbers.
func (v *value) both(f func(part value) value) value {
	return complexOf(f(v.more.pair.re), f(v.more.pair.im))
}

// complexData reports whether v is complex numbers without variables.
func (v *value) complexData() bool {
	return v.sort == complexPairs && v.more.pair.re.isData() && v.more.pair.im.isData()
}

// isReal reports whether there is no imaginary part.
func (p *pair) isReal() bool { return p.im.cells == nil }

// imag is the imaginary part, zeros of a real array.
func (p *pair) imag() value {
	if p.isReal() {
		return p.re.constant(0)
	}
	return p.im
}

// isData reports whether no variable occurs.
func (p *pair) isData() bool { return p.re.isData() && (p.isReal() || p.im.isData()) }

// fromSparse is a sparse matrix.
func fromSparse(m *arrays.Sparse) value {
	return sparseOf([]int{m.Rows, m.Cols}, &sparseData{Sparse: m})
}

func sparseOf(shape []int, s *sparseData) value {
	return value{0, &cells{sort: sparseNumbers, shape: shape, more: &details{sparse: s}}}
}

// transposed is the transpose of a sparse matrix.
func (s *sparseData) transposed() *sparseData {
	if s.t == nil {
		s.t = &sparseData{Sparse: s.T(), t: s}
	}
	return s.t
}

// row is a row of a sparse matrix, as a vector.
func (s *sparseData) row(i int) value {
	from, to := s.Ptr[i], s.Ptr[i+1]
	r := &arrays.Sparse{Rows: 1, Cols: s.Cols, Ptr: []int{0, to - from}, Idx: s.Idx[from:to:to], Val: s.Val[from:to:to]}
	return sparseOf([]int{s.Cols}, &sparseData{Sparse: r})
}

// at is the entry in row i and column j.
func (s *sparseData) at(i, j int) float64 {
	from, to := s.Ptr[i], s.Ptr[i+1]
	if k := from + sort.SearchInts(s.Idx[from:to], j); k < to && s.Idx[k] == j {
		return s.Val[k]
	}
	return 0
}

// expanded are all entries, to be read only.
func (s *sparseData) expanded() []float64 {
	if s.full == nil {
		s.full = s.Full()
	}
	return s.full
}

// scaled is w times the entries.
func (s *sparseData) scaled(w float64) *sparseData {
	m := *s.Sparse
	m.Val = slices.Clone(m.Val)
	for k := range m.Val {
		m.Val[k] *= w
	}
	return &sparseData{Sparse: &m}
}

// generalPart is a part that is not affine, nil where both are.
func (p *pair) generalPart() *value {
	switch {
	case p.re.sort == general:
		return &p.re
	case !p.isReal() && p.im.sort == general:
		return &p.im
	}
	return nil
}
