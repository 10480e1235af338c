package lang

import "github.com/dcopt/dcopt/dc"

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
	if len(v.shape) == 0 || origin == nil && v.more == nil {
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
