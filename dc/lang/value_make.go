package lang

import (
	"math"

	"github.com/dcopt/dcopt/dc"
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
