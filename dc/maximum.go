package dc

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// maxOf is the maximum of convex functions. The first one wins a tie.
type maxOf struct {
	items   []scalar // nil: they are the pieces
	indices []int
	pieces  []convex.Linear // not nil where all items are polyhedral
}

// mostPieces, beside some for each item, bounds the pieces that are written out.
// Source: a limit of memory; a larger maximum is represented by columns, with the same
// value.
const mostPieces = 1000

func newMaxOf(items []scalar) *maxOf {
	m := &maxOf{items: items, pieces: []convex.Linear{}}
	var lists [][]int
	for k := range items {
		e := &items[k]
		lists = append(lists, e.lin.Idx)
		for _, t := range e.terms {
			lists = append(lists, t.f.Support())
		}
		if m.pieces == nil {
			continue
		}
		p := (&sum{lin: e.lin, terms: e.terms}).Pieces()
		if p == nil || len(m.pieces)+len(p) > mostPieces+8*len(items) {
			m.pieces = nil // nested maxima multiply
		} else {
			m.pieces = append(m.pieces, p...)
		}
	}
	m.indices = convex.Union(lists...)
	return m
}

func newMaxOfAffine(lins []convex.Linear) *maxOf {
	var few [4][]int
	lists := few[:0]
	for k := range lins {
		lists = append(lists, lins[k].Idx)
	}
	return &maxOf{pieces: lins, indices: convex.Union(lists...)}
}

// largestPiece is the number and the value of the first of the largest pieces.
func (m *maxOf) largestPiece(x []float64) (arg int, best float64) {
	best = math.Inf(-1)
	for k := range m.pieces {
		if v := m.pieces[k].Value(x); v > best || math.IsNaN(v) {
			arg, best = k, v
		}
	}
	return arg, best
}

func (m *maxOf) argmax(x []float64) (int, float64) {
	if m.items == nil {
		return m.largestPiece(x)
	}
	arg, best := 0, math.Inf(-1)
	for k := range m.items {
		if v := m.items[k].value(x); v > best || math.IsNaN(v) {
			arg, best = k, v
		}
	}
	return arg, best
}

func (m *maxOf) Value(x []float64) float64 { _, v := m.argmax(x); return v }

func (m *maxOf) AddSubgrad(dst []float64, scale float64, x []float64) {
	if k, _ := m.argmax(x); m.items == nil {
		m.pieces[k].AddSubgrad(dst, scale, x)
	} else {
		m.items[k].addSubgrad(dst, scale, x)
	}
}

func (m *maxOf) Support() []int { return m.indices }

func (m *maxOf) Pieces() []convex.Linear { return m.pieces }

func (m *maxOf) Represent(c convex.Canon) convex.Form {
	if m.pieces == nil {
		t := convex.Column(c)
		for k := range m.items {
			f, _ := m.items[k].oneSided()
			c.Row(c.Bound(f).AddScaled(-1, t), math.Inf(-1), 0)
		}
		return convex.Form{Linear: t}
	}
	total := 0
	for _, l := range m.pieces {
		total += len(l.Idx)
	}
	b := convex.Beside(c.Var(), total, len(m.pieces))
	for _, l := range m.pieces {
		c.Row(b.Plus(l, -1), math.Inf(-1), 0)
	}
	return convex.Form{Linear: b.Alone()}
}

func (m *maxOf) Domain() (out []convex.Representer) {
	for k := range m.items {
		out = append(out, m.items[k].domain()...)
	}
	return out
}

func (m *maxOf) Everywhere() bool {
	return !slices.ContainsFunc(m.items, func(e scalar) bool { return !e.everywhere() })
}

func (m *maxOf) Inside(x []float64) bool {
	for k := range m.items {
		if !m.items[k].inside(x) {
			return false
		}
	}
	return true
}

func (m *maxOf) Approx(x []float64) convex.Approx {
	best := convex.NewLargest()
	for k := range m.items {
		best.Add(m.items[k].Approx(x))
	}
	for k := 0; k < len(m.pieces) && m.items == nil; k++ {
		best.Add(m.pieces[k].Approx(x))
	}
	return best.Approx()
}

// all are the items.
func (m *maxOf) all() []scalar {
	if m.items != nil {
		return m.items
	}
	out := make([]scalar, len(m.pieces))
	for k := range out {
		out[k] = scalar{lin: m.pieces[k]}
	}
	return out
}

// over: an affine function beside its negative is ≥ 0 together with it.
func (m *maxOf) Over() interval.Interval {
	i := interval.New(math.Inf(-1), math.Inf(-1))
	items := m.all()
	for k := range items {
		e := &items[k]
		i = i.Max(e.Range())
		if k > 0 && len(e.terms)+len(items[k-1].terms) == 0 && e.lin.IsNegative(items[k-1].lin) {
			i.Lo = max(i.Lo, 0)
		}
	}
	return i
}

func (m *maxOf) node() Node {
	return Node{op: "max", row: atom.Max, args: exprArgs(m.all()...)}
}

func (m *maxOf) Parts() []convex.Func {
	var out []convex.Func
	for k := range m.items {
		if e := &m.items[k]; len(e.terms) > 0 {
			f, _ := e.oneSided()
			out = append(out, f)
		}
	}
	return out
}

func (m *maxOf) String() string { return "max" }

// ActivePiece is the affine function that m has its value and subgradient from at x,
// its number among the pieces of m, and that value. ok is false where m is no maximum of
// affine functions. It is for package ccp, which finds it by assertion.
func (m *maxOf) ActivePiece(x []float64) (l convex.Linear, number int, value float64, ok bool) {
	if len(m.pieces) == 0 {
		return convex.Linear{}, 0, 0, false
	}
	for _, s := range m.items {
		if len(s.terms) > 0 {
			return convex.Linear{}, 0, 0, false
		}
	}
	number, value = m.largestPiece(x)
	return m.pieces[number], number, value, true
}
