package dc

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Convex functions of a vector whose slopes are bounded, such as norms, may be taken of
// any DC functions eₖ = gₖ − hₖ: where each entry of a subgradient of f lies in [−a, b],
// f(g − h) + a·Σ gₖ + b·Σ hₖ is convex, as lifted is of one number (Hartman 1959).

// asWritten is a row of expressions with a split.
func asWritten(row *atom.Reduce, p []float64, s split, es []scalar) scalar {
	own := newParted(s)
	return node(newWritten(row, p, es, &own), ownerOf(es...))
}

// newApplied is a row of DC functions.
func newApplied(row *atom.Reduce, p []float64, es []scalar) scalar {
	l := &liftedArray{row: row, p: p}
	l.a, l.b = row.Slopes(len(es), p)
	var lists [][]int
	parts, weights := []split{convexSplit(l)}, []float64{1}
	for k := range es {
		t := es[k].split()
		up, down := t.convexPart(), t.concavePart()
		parts, weights = append(parts, up, down), append(weights, -l.a, -l.b)
		l.g, l.h = append(l.g, up.function()), append(l.h, down.function())
		lists = append(lists, l.g[k].Support(), l.h[k].Support())
	}
	l.indices = convex.Union(lists...)
	return asWritten(row, p, addSplits(parts, weights...), es)
}

// liftedArray is f(g − h) + a·Σ gₖ + b·Σ hₖ.
type liftedArray struct {
	row     *atom.Reduce
	p       []float64
	a, b    float64
	g, h    []convex.Representer
	indices []int
}

// take has the values of g − h at x, the value of the row, and the sum of the others.
func (l *liftedArray) take(x []float64) (w *numbers, sum float64) {
	w = takeNumbers(len(l.g))
	for k := range l.g {
		g, h := l.g[k].Value(x), l.h[k].Value(x)
		w.u[k][0] = g - h
		sum += l.a*g + l.b*h
	}
	l.row.Value(w.v, w.u, l.p)
	return w, sum
}

func (l *liftedArray) Value(x []float64) float64 {
	w, sum := l.take(x)
	defer w.put()
	return w.v[0] + sum
}

func (l *liftedArray) AddSubgrad(dst []float64, scale float64, x []float64) {
	w, _ := l.take(x)
	defer w.put()
	w.adj[0] = 1
	slopes := w.gradient()
	l.row.Slope(slopes, w.adj, w.u, w.v, l.p)
	for k := range slopes {
		v := min(max(slopes[k][0], -l.a), l.b)
		l.g[k].AddSubgrad(dst, scale*(v+l.a), x)
		l.h[k].AddSubgrad(dst, scale*(l.b-v), x)
	}
}

func (l *liftedArray) Smooth() bool {
	return l.row.Smooth && !slices.ContainsFunc(l.Parts(), func(p convex.Func) bool { return !convex.IsSmooth(p) })
}

func (l *liftedArray) Support() []int               { return l.indices }
func (l *liftedArray) Domain() []convex.Representer { return l.all().Domain() }
func (l *liftedArray) Inside(x []float64) bool      { return l.all().Inside(x) }
func (l *liftedArray) Parts() []convex.Func         { return l.all().Parts() }
func (l *liftedArray) String() string               { return l.row.Name }

// all is the sum of the gₖ and hₖ.
func (l *liftedArray) all() *sum {
	s := &sum{}
	for k := range l.g {
		s.terms = append(s.terms, term{1, l.g[k]}, term{1, l.h[k]})
	}
	return s
}

// Represent: the least f(v − w) + a·Σ v + b·Σ w over v ≥ g, w ≥ h, as of lifted.
func (l *liftedArray) Represent(c convex.Canon) convex.Form {
	rows, sum := make([]convex.Linear, len(l.g)), convex.Linear{}
	for k := range rows {
		v, w := c.Bound(l.g[k]), c.Bound(l.h[k])
		rows[k] = v.AddScaled(-1, w)
		sum = sum.AddScaled(l.a, v).AddScaled(l.b, w)
	}
	return represent(c, l.row, l.p, rows).AddScaled(1, convex.Form{Linear: sum})
}

func (l *liftedArray) node() Node {
	var es []scalar
	for k := range l.g {
		es = append(es, exprOf(l.g[k]), exprOf(l.h[k]))
	}
	return Node{op: "lifted " + l.row.Name, nums: append([]float64{l.a, l.b}, l.p...), args: exprArgs(es...)}
}
