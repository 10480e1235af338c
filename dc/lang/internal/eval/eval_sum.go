package eval

import (
	"slices"

	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// Sum is the value of n as a sum: of its terms, of one product or quotient, or
// over indices.
func (ev *Evaluator) Sum(n *syntax.Node) value.Value {
	m := ev.sums.Begin()
	ev.add(n, 1)
	return ev.total(n, m)
}

// add adds w·n to the current sum. Sums in n are added term by term, so that no
// value is made of each.
func (ev *Evaluator) add(n *syntax.Node, w float64) {
	switch n.Op {
	case syntax.OpSum:
		if ev.All {
			ev.Each(len(n.Args), func(k int) { ev.addTerm(n.Args[k], WithSign(w, n.Minus[k])) })
			return
		}
		for k, a := range n.Args {
			ev.addTerm(a, WithSign(w, n.Minus[k]))
		}
	case syntax.OpNeg:
		ev.addTerm(n.Args[0], -w)
	case syntax.OpReduce:
		ev.addOver(n, w)
	case syntax.OpDiv, syntax.OpDotDiv:
		ev.addQuotient(n, w)
	default:
		ev.addProduct(n, w)
	}
}

func WithSign(w float64, minus bool) float64 {
	if minus {
		return -w
	}
	return w
}

// addTerm adds w·n, a part of the current sum.
func (ev *Evaluator) addTerm(n *syntax.Node, w float64) {
	switch n.Op {
	case syntax.OpNumber:
		ev.sums.AddNumber(w * n.Num)
		return
	case syntax.OpSum, syntax.OpNeg, syntax.OpMul, syntax.OpDotMul, syntax.OpDiv, syntax.OpDotDiv:
		if ev.NoteOf(n).Open || len(ev.Indices) == 0 && !ev.Keep {
			ev.Spend(n, UnitsNode)
			ev.add(n, w)
			return
		}
	case syntax.OpReduce:
		if ev.NoteOf(n).Open && n.Name == "sum" {
			ev.Spend(n, UnitsNode)
			ev.add(n, w)
			return
		}
	}
	ev.addView(ev.view(n), w, n)
}

// addOver adds w times the terms of a sum over indices.
func (ev *Evaluator) addOver(n *syntax.Node, w float64) {
	body, members := n.Args[0], 0
	var first []int
	ev.Loop(n, n.Binders, n.Cond, func() {
		from := len(ev.sums.Terms)
		ev.addTerm(body, w)
		shape := ev.shapeSince(from)
		if members++; members == 1 {
			first = shape
		}
		if !slices.Equal(first, shape) {
			ev.Fail(body, "", "the terms of sum differ in shape: %s and %s", value.Shape(first), value.Shape(shape))
		}
	})
}

// shapeSince is the shape of the sum of the terms from a place on.
func (ev *Evaluator) shapeSince(from int) []int {
	var shape []int
	for _, t := range ev.sums.Terms[from:] {
		if len(t.V.Shape) > 0 && (shape == nil || value.Size(shape) == 1) {
			shape = t.V.Shape
		}
	}
	return shape
}

// addProduct adds w times a product.
func (ev *Evaluator) addProduct(n *syntax.Node, w float64) {
	if v, ok := ev.quadraticForm(n); ok {
		ev.sums.Add(w, v, n)
		return
	}
	a := ev.view(n.Args[0])
	if a.isNumber() {
		ev.addTerm(n.Args[1], w*a.v.X)
		return
	}
	b := ev.view(n.Args[1])
	if a.isSparse() || b.isSparse() {
		if !b.isNumber() && n.Op == syntax.OpMul && a.v.Len() != 1 && b.v.Len() != 1 && !eitherComplex(&a.v, &b.v) {
			ev.addSparse(n, w, &a, &b)
			return
		}
		a.v, b.v = ev.Dense(n.Args[0], a.v), ev.Dense(n.Args[1], b.v)
	}
	switch {
	case b.isNumber():
		ev.addView(a, w*b.v.X, n)
	case n.Op == syntax.OpMul && ev.addInner(n, w, &a, &b):
	case n.Op == syntax.OpMul:
		ev.sums.Add(w, ev.Multiply(n, a.Value(ev, n.Args[0]), b.Value(ev, n.Args[1])), n)
	default:
		ev.sums.Add(w, ev.Times(n, a.Value(ev, n.Args[0]), b.Value(ev, n.Args[1])), n)
	}
}

// addQuotient adds w times a quotient.
func (ev *Evaluator) addQuotient(n *syntax.Node, w float64) {
	a, b := ev.view(n.Args[0]), ev.Side(n.Args[1])
	switch {
	case !b.IsData() || !b.Scalar() || a.v.Sort == value.ComplexPairs:
		ev.sums.Add(w, ev.Divide(n, ev.Dense(n.Args[0], a.Value(ev, n.Args[0])), b), n)
	case b.X == 0:
		ev.failPole(n)
	case a.isNumber():
		ev.sums.AddNumber(w * (a.v.X / b.X))
	default:
		ev.addView(a, w*(1/b.X), n)
	}
}

// addView adds w times a value.
func (ev *Evaluator) addView(a view, w float64, n *syntax.Node) {
	if a.single && a.v.Sort == value.AffineFunctions {
		l := a.v.Linear(a.first)
		ev.sums.AddLinear(w, &l)
		return
	}
	ev.sums.Add(w, a.Value(ev, n), n)
}

// addInner adds w times the inner product of data and affine functions, unless
// both are whole arrays.
func (ev *Evaluator) addInner(n *syntax.Node, w float64, a, b *view) bool {
	if a.v.Sort == value.AffineFunctions {
		a, b = b, a
	}
	x, okX := a.vector()
	y, okY := b.vector()
	if !okX || !okY || !a.run && !b.run || x.count != y.count || a.v.Sort != value.Numbers ||
		b.v.Sort != value.AffineFunctions {
		return false
	}
	ev.Spend(n, x.count)
	for range x.count {
		l := y.v.Linear(y.first)
		ev.sums.AddLinear(w*x.v.Num[x.first], &l)
		x.first, y.first = x.first+x.step, y.first+y.step
	}
	return true
}

// addSparse adds w times a product with sparse data; of a vector of them and affine
// functions term by term.
func (ev *Evaluator) addSparse(n *syntax.Node, w float64, a, b *view) {
	x, y := a.Value(ev, n.Args[0]), b.Value(ev, n.Args[1])
	ev.checkProduct(n, &x, &y)
	inner := len(x.Shape) == 1 && len(y.Shape) == 1
	if inner && x.Sort != value.SparseNumbers {
		x, y = y, x
	}
	if !inner || y.Sort != value.AffineFunctions {
		ev.sums.Add(w, ev.sparseProduct(n, x, y), n)
		return
	}
	s := x.More.Sparse
	ev.Spend(n, len(s.Idx))
	for p, k := range s.Idx {
		l := y.Linear(k)
		ev.sums.AddLinear(w*s.Val[p], &l)
	}
}
