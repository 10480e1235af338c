package family

import (
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// The sum of the k least of some functions is at most the sum of those that are least
// at a point, and equal to it there: of convex functions a convex majorant. It is
// closer than the tangents of a split, which take the sum of all of them into g. The
// steps are the ones of Lloyd's method for k-means (Lloyd 1982), and the concentration
// steps of least trimmed squares (Rousseeuw and Van Driessen 2006).

// LeastOf is the sum of the k least of convex quadratic functions as such a majorant.
// It stands in the split of an objective alone: the convex problem has other
// coefficients in every iteration, also of squares.
type LeastOf struct {
	e       expr.Scalar // as it was written
	items   []expr.Scalar
	k       int
	indices []int
	family  func() *LeastFamily // of one member, made when it is first asked for
}

// mostProducts bounds the coefficients of all functions multiplied out; of larger ones
// the split is used.
// Source: a limit of memory: 32 MB.
const mostProducts = 2_000_000

// NewLeastOf is w times a function f as w' > 0 times a sum of least ones, nil where it
// is none of quadratic functions.
func NewLeastOf(w float64, f convex.Func) (float64, *LeastOf) {
	var items []expr.Scalar
	var count int
	smallest := false
	switch f := f.(type) {
	case *expr.VectorAtom:
		smallest = f.Row == atom.SumSmallest
		switch items = f.Args.Fs; {
		case f.Own == nil:
			return 0, nil
		case f.Row == atom.Max:
			count = 1
		case smallest, f.Row == atom.SumLargest:
			count = int(f.P[0])
		default:
			return 0, nil
		}
	default:
		return 0, nil
	}
	l := &LeastOf{e: expr.Scalar{Terms: []expr.Term{{W: 1, F: f}}}, items: items, k: count}
	if !smallest { // − max f = min −f
		w = -w
		l.e.Terms[0].W = -1
		l.items = slices.Clone(l.items)
		for i := range l.items {
			l.items[i] = l.items[i].Neg()
		}
	}
	if w <= 0 || l.k >= len(l.items) {
		return 0, nil
	}
	left, curved := mostProducts, false
	lists := make([][]int, 0, len(l.items))
	for i := range l.items {
		split := l.items[i].SplitNow()
		products, ok := squaredProducts(&split)
		if left -= products; !ok || left < 0 {
			return 0, nil
		}
		curved = curved || len(split.G) > 0
		lists = append(lists, split.Lin.Idx)
		for _, t := range split.G {
			lists = append(lists, t.F.Support())
		}
	}
	if !curved {
		return 0, nil // concave: the tangents are as close
	}
	l.indices, l.family = convex.Union(lists...), sync.OnceValue(l.newFamily)
	return w, l
}

// squaredProducts is how many products of coefficients a split has that is a convex
// quadratic function.
func squaredProducts(s *expr.Split) (products int, ok bool) {
	if !s.IsConvex() {
		return 0, false
	}
	for _, t := range s.G {
		a := expr.RowAt(t.F, atom.SumSquares)
		if a == nil {
			return 0, false
		}
		for k := range a.C {
			n := len(a.Linear(k).Idx)
			products += n * (n + 1) / 2
		}
	}
	return products, true
}

func (f *LeastOf) IsMajorant()                      {}
func (f *LeastOf) Support() []int                   { return f.indices }
func (f *LeastOf) Value(x []float64) float64        { return f.e.Value(x) }
func (f *LeastOf) Approx(x []float64) convex.Approx { return f.e.Approx(x) }
func (f *LeastOf) Over() interval.Interval          { return f.e.Over() }
func (f *LeastOf) String() string                   { return "sum of least" }

func (f *LeastOf) Node() expr.Node {
	n := expr.Node{Name: "least of", Inputs: expr.ExprArgs(f.items...), Nums: []float64{float64(f.k)}}
	if f.k == 1 {
		n.Row = atom.Min
	}
	return n
}

// AddSubgrad adds a gradient where there is one.
func (f *LeastOf) AddSubgrad(dst []float64, scale float64, x []float64) {
	f.family().AddSubgrad(dst, scale, x)
}

func (f *LeastOf) Represent(c convex.Canon) convex.Form { return f.family().Represent(c) }

// newFamily has the items as the arguments of its last node.
func (f *LeastOf) newFamily() *LeastFamily {
	var r Reader
	r.Begin()
	top := graph.Node{Op: graph.Reduce, Function: atom.Min, Group: len(f.items)}
	if f.k > 1 {
		top.Function, top.P = atom.SumSmallest, []float64{float64(f.k)}
	}
	for k := range f.items {
		s := f.items[k].Split()
		top.Args = append(top.Args, r.sum(s.Lin, s.G))
	}
	r.G.Add(top)
	return &LeastFamily{newFamily(graph.First(&r.G), []float64{1}, expr.OwnerOf(f.items...))}
}
