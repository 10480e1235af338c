package dc

import (
	"math"
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// Max is the largest of all entries of all arrays, or along an axis of one: see Expr.Along. Of DC
// functions it is DC: maxᵢ(gᵢ − hᵢ) = maxᵢ(gᵢ + Σ_{j≠i} hⱼ) − Σⱼ hⱼ. Where several entries attain
// the maximum, the subgradient is that of the first.
//
//	arguments  us: arrays of any shapes
//	curvature  convex
//	sign       any
//	monotone   us: nondecreasing
//	domain     all
//	takes      any with a split
//	refuses    no entries
//	form       rows
//	source     Boyd and Vandenberghe 2004, section 4.3.1; split: Horst and Thoai 1999, proposition 2.1
func Max(us ...Expr) Expr {
	return joined(us).fold(atom.Max, func(a Expr) scalar { return maxExprs(a.scalars()) })
}

func maxExprs(es []scalar) scalar {
	if len(es) == 0 {
		return badExpr("max of nothing")
	}
	plain, bent := true, false // all are convex as they are written; the split of a maximum that is not is certainly not affine
	for k := range es {
		if es[k].err != nil {
			return es[k]
		}
		plain = plain && !es[k].composite && es[k].IsConvex()
	}
	if es = undominated(es); len(es) == 1 {
		return es[0]
	}
	bent = !plain
	for k := 0; bent && k < len(es); k++ {
		bent = es[k].subtractsSquares()
	}
	if bent {
		return node(newMaximum(es, true), ownerOf(es...))
	}
	var few [8]split
	parts := few[:0]
	for k := range es {
		parts = append(parts, es[k].splitNow())
	}
	s := maxSplit(parts)
	if plain {
		return scalar{lin: s.lin, terms: s.g, of: ownerOf(es...)}
	}
	own := newParted(s)
	return node(newWritten(atom.Max, nil, slices.Clone(es), &own), ownerOf(es...))
}

// subtractsSquares reports whether e subtracts nothing but squares, as it is written.
func (e *scalar) subtractsSquares() bool {
	return !e.composite && !slices.ContainsFunc(e.terms, func(t term) bool {
		return t.w < 0 && rowAt(t.f, atom.SumSquares) == nil
	})
}

// undominated leaves out the operands of a maximum that are below another one wherever
// the variables are within their bounds: a capped square of an outlier is its cap, and a
// difference of values of 1e18 is none. One with a domain stays.
func undominated(es []scalar) []scalar {
	if len(es) == 1 {
		return es
	}
	var few [8]Interval
	over := few[:0]
	for k := range es {
		over = append(over, es[k].Range())
	}
	top := highestLow(over)
	dominated := func(k int) bool { return below(over[k], top) && !es[k].restricted() }
	for k := range es {
		if !dominated(k) {
			continue
		}
		kept := slices.Clone(es[:k])
		for i := k + 1; i < len(es); i++ {
			if !dominated(i) {
				kept = append(kept, es[i])
			}
		}
		return kept
	}
	return es
}

// highestLow is the largest of the lower ends, which a maximum is nowhere below.
func highestLow(over []Interval) float64 {
	top := math.Inf(-1)
	for k := range over {
		top = max(top, over[k].Lo)
	}
	return top
}

// below reports whether all of i is below v, beyond rounding errors.
func below(i Interval, v float64) bool { return i.Hi < v-apart*(math.Abs(i.Hi)+math.Abs(v)) }

// restricted reports whether e is not finite everywhere.
func (e *scalar) restricted() bool {
	s := e.split()
	in := func(t term) bool {
		r, ok := t.f.(Restricted)
		return ok && len(r.Domain()) > 0
	}
	return slices.ContainsFunc(s.g, in) || slices.ContainsFunc(s.h, in)
}

// maxSplit is the maximum of splits.
func maxSplit(parts []split) split {
	var few, fewLifted [8]split // out of the heap
	parts = append(few[:0], parts...)
	for k := range parts {
		parts[k] = parts[k].expanded()
	}
	lifted, all, ok := liftAll(fewLifted[:0], parts)
	if !ok {
		return maxOfConvex(parts)
	}
	return addSplits([]split{maxOfConvex(lifted), all}, 1, -1)
}

// beyond is the constant of an affine function, by the plausible size of the rest, from
// which on the square of the rest is below the rounding error of that of the constant.
// Source: derived: its square is the inverse of the unit roundoff, but for a factor of two.
const beyond = 0x1p26

// expanded writes squares in h of affine functions l + c with a far larger constant c as l² + 2c·l
// + c², and the affine part in lin: the functions that h and the sum of all share keep their digits
// then. The step of the procedure is the same, as an affine function has no tangent but itself. A
// capped square of an outlier is the cap so, as a number too.
func (s *split) expanded() split {
	out := *s
	for k, t := range s.h {
		a := rowAt(t.f, atom.SumSquares)
		if a == nil || a.Len() != 1 {
			continue
		}
		l := a.Linear(0)
		c := l.Const
		if !(math.Abs(c) > beyond*l.plausible()) || math.IsInf(c*c, 0) {
			continue
		}
		if l.Const = 0; len(out.h) == len(s.h) && &out.h[0] == &s.h[0] {
			out.h = slices.Clone(s.h)
		}
		out.h[k] = term{t.w, newVectorAtom(atom.SumSquares, nil, FromLinear(l))}
		out.lin = out.lin.AddScaled(-t.w*2*c, l).AddScaled(-t.w, Linear{Const: c * c})
	}
	return out
}

// liftAll adds the sum of all h to each split, so that none has an h: gₖ + Σ_{j≠k}
// hⱼ, behind those in lifted. all is that sum; not ok: there is no h.
func liftAll(lifted, parts []split) (_ []split, all split, ok bool) {
	var few [8]split
	hs := few[:0]
	for k := range parts {
		if len(parts[k].h) > 0 {
			hs = append(hs, parts[k].concavePart())
		}
	}
	if len(hs) == 0 {
		return parts, split{}, false
	}
	all = addSplits(hs)
	for k := range parts {
		one := addSplits([]split{parts[k], all})
		if len(one.h) > 0 { // functions that became one in the sum do not cancel
			one = liftedBy(parts, k)
		}
		lifted = append(lifted, one)
	}
	return lifted, all, true
}

// liftedBy is the convex part of a split plus the h of all others.
func liftedBy(parts []split, k int) split {
	sum := []split{parts[k].convexPart()}
	for j := range parts {
		if j != k {
			sum = append(sum, parts[j].concavePart())
		}
	}
	return addSplits(sum)
}

// maxOfConvex is the maximum of splits without h.
func maxOfConvex(parts []split) split {
	constant, affine, best := true, true, math.Inf(-1)
	for k := range parts {
		affine = affine && len(parts[k].g) == 0
		constant, best = constant && parts[k].isConst(), max(best, parts[k].lin.Const)
	}
	switch {
	case constant:
		return split{lin: Linear{Const: best}}
	case affine:
		lins := make([]Linear, len(parts))
		for k := range parts {
			lins[k] = parts[k].lin
		}
		return convexSplit(newMaxOfAffine(lins))
	}
	items := make([]scalar, len(parts))
	for k := range parts {
		items[k] = scalar{lin: parts[k].lin, terms: parts[k].g}
	}
	return convexSplit(newMaxOf(items))
}

// newMaximum is the largest of expressions that are not all convex. Its split is made when it is
// first asked for, as an objective may take another split of a minimum, see leastOf. less says that
// some items subtract squares, and none anything else.
func newMaximum(es []scalar, less bool) *vectorAtom {
	es = slices.Clone(es)
	own := sync.OnceValue(func() *parted {
		parts := make([]split, len(es))
		for k := range es {
			parts[k] = es[k].splitNow()
		}
		p := newParted(maxSplit(parts))
		return &p
	})
	f := &vectorAtom{row: atom.Max, items: es, own: own, less: less, sign: 1}
	lists := make([][]int, len(es))
	for k := range es {
		lists[k] = es[k].support()
	}
	f.indices = union(lists...)
	return f
}

// Min is the least of all entries of all arrays, or along an axis of one: the negative of Max of
// the negatives.
//
//	arguments  us: arrays of any shapes
//	curvature  concave
//	sign       any
//	monotone   us: nondecreasing
//	domain     all
//	takes      any with a split
//	refuses    no entries
//	form       rows
//	source     Boyd and Vandenberghe 2004, section 4.3.1
func Min(us ...Expr) Expr {
	return joined(us).fold(atom.Min, func(a Expr) scalar { return minExprs(a.scalars()) })
}

func minExprs(us []scalar) scalar {
	neg := make([]scalar, len(us))
	for k, u := range us {
		neg[k] = u.Neg()
	}
	if len(neg) == 0 {
		return badExpr("min of nothing")
	}
	return maxExprs(neg).Neg()
}

// Abs is |o|; of a DC function 2·max(g, h) − (g + h). At zero the subgradient of
// |o|, o affine, is 0.
func Abs(o Expr) Expr { return o.each(absOf) }

func absOf(e scalar) scalar {
	if e.err != nil {
		return e
	}
	switch i := e.Range(); {
	case i.Lo >= 0:
		return e
	case i.Hi <= 0:
		return e.Neg()
	case e.IsConst():
		return constantExpr(math.Abs(e.split().lin.Const))
	case e.isAffineNow():
		return convex(newCurveAtom(rowOf("abs"), e, nil), e.owner())
	}
	t := e.split()
	g, h := t.convexPart(), t.concavePart()
	s := addSplits([]split{maxSplit([]split{g, h}), g, h}, 2, -1, -1)
	own := newParted(s)
	return node(newCurveAtom(rowOf("abs"), e, &own), e.owner())
}

// Pos is max(e, 0), the positive part.
func Pos(e Expr) Expr {
	return e.each(func(e scalar) scalar { return maxExprs([]scalar{e, {}}) })
}

// NormInf is the largest |aₖ|; 0 without entries.
//
//	arguments  a: an array of any shape
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      any with a split
//	refuses    nothing
//	form       rows
//	source     Boyd and Vandenberghe 2004, section 6.1.1
func NormInf(a Expr) Expr { return a.reduced(normInf) }

func normInf(a Expr) scalar {
	var es []scalar
	for _, e := range a.scalars() {
		if e.isAffineNow() {
			es = append(es, e, e.Neg())
		} else {
			es = append(es, absOf(e))
		}
	}
	if len(es) == 0 {
		return scalar{}
	}
	return maxExprs(es)
}

// maxOf is the maximum of convex functions. The first one wins a tie.
type maxOf struct {
	items   []scalar // nil: they are the pieces
	indices []int
	pieces  []Linear // not nil where all items are polyhedral
}

// mostPieces, beside some for each item, bounds the pieces that are written out.
// Source: a limit of memory; a larger maximum is represented by columns, with the same
// value.
const mostPieces = 1000

func newMaxOf(items []scalar) *maxOf {
	m := &maxOf{items: items, pieces: []Linear{}}
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
	m.indices = union(lists...)
	return m
}

func newMaxOfAffine(lins []Linear) *maxOf {
	var few [4][]int
	lists := few[:0]
	for k := range lins {
		lists = append(lists, lins[k].Idx)
	}
	return &maxOf{pieces: lins, indices: union(lists...)}
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

func (m *maxOf) Pieces() []Linear { return m.pieces }

func (m *maxOf) Represent(c Canon) Form {
	if m.pieces == nil {
		t := column(c)
		for k := range m.items {
			f, _ := m.items[k].oneSided()
			c.Row(c.Bound(f).AddScaled(-1, t), math.Inf(-1), 0)
		}
		return Form{Linear: t}
	}
	total := 0
	for _, l := range m.pieces {
		total += len(l.Idx)
	}
	b := beside(c.Var(), total, len(m.pieces))
	for _, l := range m.pieces {
		c.Row(b.plus(l, -1), math.Inf(-1), 0)
	}
	return Form{Linear: b.alone()}
}

func (m *maxOf) Domain() (out []Representer) {
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

func (m *maxOf) approx(x []float64) approx {
	best := newLargest()
	for k := range m.items {
		best.add(m.items[k].approx(x))
	}
	for k := 0; k < len(m.pieces) && m.items == nil; k++ {
		best.add(m.pieces[k].approx(x))
	}
	return best.approx()
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
func (m *maxOf) over() Interval {
	i := interval.New(math.Inf(-1), math.Inf(-1))
	items := m.all()
	for k := range items {
		e := &items[k]
		i = i.Max(e.Range())
		if k > 0 && len(e.terms)+len(items[k-1].terms) == 0 && e.lin.isNegative(items[k-1].lin) {
			i.Lo = max(i.Lo, 0)
		}
	}
	return i
}

func (m *maxOf) node() Node {
	return Node{op: "max", row: atom.Max, args: exprArgs(m.all()...)}
}

func (m *maxOf) parts() []Convex {
	var out []Convex
	for k := range m.items {
		if e := &m.items[k]; len(e.terms) > 0 {
			f, _ := e.oneSided()
			out = append(out, f)
		}
	}
	return out
}

func (m *maxOf) String() string { return "max" }

func maxAtoms() []constructor {
	return []constructor{
		{op: "abs", args: 1, make: of(Abs)},
		{op: "pos", args: 1, make: of(Pos)},
		{op: "norminf", args: 1, make: of(NormInf)},
	}
}

func (m *maxOf) Maxima(each func(weight float64, pieces []Linear)) (lin Linear, ok bool) {
	if len(m.pieces) == 0 || len(m.pieces) > mostChoices {
		return Linear{}, false
	}
	each(1, m.pieces)
	return Linear{}, true
}

// ActivePiece is the affine function that m has its value and subgradient from at x,
// its number among those of m, and that value. ok is false where m is no maximum of
// affine functions. It is for package ccp, which finds it by assertion.
func (m *maxOf) ActivePiece(x []float64) (l Linear, number int, value float64, ok bool) {
	if len(m.pieces) == 0 {
		return Linear{}, 0, 0, false
	}
	for _, s := range m.items {
		if len(s.terms) > 0 {
			return Linear{}, 0, 0, false
		}
	}
	number, value = m.largestPiece(x)
	return m.pieces[number], number, value, true
}
