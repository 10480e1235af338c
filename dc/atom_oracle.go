package dc

import (
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
)

// Oracle is a convex function of your own: Value at u, and a subgradient at u
// added, times scale, to dst. It must be safe for several goroutines.
type Oracle interface {
	Value(u []float64) float64
	AddSubgrad(dst []float64, scale float64, u []float64)
}

// BlackBox is f at the entries of a. An oracle has no representation, so the
// result may stand only where it is linearised: negated in a minimised
// objective or on the left of ≤. Elsewhere Model.Problem refuses it.
//
//	arguments  name: for messages; f: convex, of as many numbers as a has entries; a: an array of any shape
//	curvature  convex
//	sign       that of f
//	monotone   a: that of f
//	domain     all
//	takes      affine
//	refuses    no function
//	form       none
//	source     Lipp and Boyd 2016, section 1.3: CCP needs only values and subgradients of h
func BlackBox(name string, f Oracle, a Expr) Expr {
	switch {
	case a.Err() != nil:
		return a
	case f == nil:
		return failed("black box %q has no function", name)
	case a.bent():
		return failed("black box %q needs affine arguments", name)
	}
	b := &blackBox{name: name, f: f, a: a.arr.Array, indices: a.support()}
	n := a.Len()
	b.pool.New = func() any { return &oracleWork{make([]float64, n), make([]float64, n)} }
	return number(expr.ConvexOf(b, a.arr.Of))
}

type blackBox struct {
	name    string
	f       Oracle
	a       convex.Array
	indices []int
	pool    sync.Pool // of *oracleWork
}

type oracleWork struct{ u, grad []float64 }

func (b *blackBox) Value(x []float64) float64 {
	w := b.pool.Get().(*oracleWork)
	defer b.pool.Put(w)
	b.a.ValueTo(w.u, x)
	return b.f.Value(w.u)
}

func (b *blackBox) AddSubgrad(dst []float64, scale float64, x []float64) {
	w := b.pool.Get().(*oracleWork)
	defer b.pool.Put(w)
	b.a.ValueTo(w.u, x)
	clear(w.grad)
	b.f.AddSubgrad(w.grad, 1, w.u)
	for k, v := range w.grad {
		b.a.AddRow(dst, scale*v, k)
	}
}

func (b *blackBox) Support() []int { return b.indices }
func (b *blackBox) String() string { return b.name }

// Node: functions of one name differ.
func (b *blackBox) Node() expr.Node {
	return expr.Node{Name: "blackbox", Inputs: [2]expr.Array{{Array: b.a}}, Key: b}
}
