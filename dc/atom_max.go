package dc

import (
	"math"
	"slices"
	"sync"
)

// Max is the largest of the operands. Of DC functions it is DC, Horst and Thoai
// 1999, prop. 2.1: maxᵢ(gᵢ − hᵢ) = maxᵢ(gᵢ + Σ_{j≠i} hⱼ) − Σⱼ hⱼ.
func Max(ops ...Operand) Expr {
	es := make([]Expr, len(ops))
	for k, o := range ops {
		es[k] = o.expr()
	}
	return MaxExprs(es)
}

// MaxExprs is Max for a slice.
func MaxExprs(es []Expr) Expr {
	if len(es) == 0 {
		return badExpr("max of nothing")
	}
	var hs []Expr
	for _, e := range es {
		if e.err != nil {
			return e
		}
		if len(e.h) > 0 {
			hs = append(hs, Expr{g: e.h})
		}
	}
	all := SumExprs(hs)
	items := make([]*sum, 0, len(es))
	constant, best := true, math.Inf(-1)
	for _, e := range es {
		lifted := SumExprs([]Expr{e, all})
		constant, best = constant && lifted.IsConst(), max(best, lifted.lin.Const)
		items = append(items, &sum{lin: lifted.lin, terms: lifted.g})
	}
	switch {
	case len(items) == 1:
		return es[0]
	case constant:
		return Expr{lin: Linear{Const: best}}.Minus(all)
	}
	return convex(newMaxOf(items)).Minus(all)
}

// MaxOf is the largest entry of a.
func MaxOf(a Affine) Expr { return MaxExprs(entries(a)) }

// Min is the least of the operands.
func Min(ops ...Operand) Expr {
	neg := make([]Expr, len(ops))
	for k, o := range ops {
		neg[k] = o.expr().Neg()
	}
	if len(neg) == 0 {
		return badExpr("min of nothing")
	}
	return MaxExprs(neg).Neg()
}

// Abs is |e|: of a DC function 2·max(g, h) − (g + h). At zero the subgradient
// of |e|, e affine, is 0.
func Abs(o Operand) Expr {
	e := o.expr()
	switch {
	case e.err != nil || e.nonnegative():
		return e
	case e.Neg().nonnegative():
		return e.Neg()
	case e.IsConst():
		return Expr{lin: Linear{Const: math.Abs(e.lin.Const)}}
	case e.IsAffine():
		return convex(&absolute{e.lin})
	}
	g, h := Expr{lin: e.lin, g: e.g}, Expr{g: e.h}
	return MaxExprs([]Expr{g, h}).Scale(2).Minus(g).Minus(h)
}

// absolute is |l|.
type absolute struct{ l Linear }

func (f *absolute) Value(x []float64) float64 { return math.Abs(f.l.Value(x)) }

func (f *absolute) AddSubgrad(dst []float64, scale float64, x []float64) {
	if v := f.l.Value(x); v != 0 {
		f.l.AddSubgrad(dst, math.Copysign(scale, scale*v), x)
	}
}

func (f *absolute) Support() []int { return f.l.Idx }

func (f *absolute) Pieces() []Linear { return []Linear{f.l, f.l.Scale(-1)} }

func (f *absolute) Represent(c Canon) Form { return Form{Linear: magnitude(c, f.l)} }

// magnitude is at least |l| by t ≥ ±l, or, where l has more than a few
// coefficients, which are then stated once, t = u + v, l = u − v, u, v ≥ 0.
func magnitude(c Canon, l Linear) Linear {
	const few = 2
	t := column(c)
	if len(l.Idx) <= few {
		c.Row(l.Plus(-1, t), math.Inf(-1), 0)
		c.Row(l.Plus(1, t), 0, math.Inf(1))
		return t
	}
	u, v := t, column(c)
	c.Row(u, 0, math.Inf(1))
	c.Row(v, 0, math.Inf(1))
	c.Row(l.Plus(-1, u.Plus(-1, v)), 0, 0)
	return u.Plus(1, v)
}

func (f *absolute) nonnegative() bool { return true }
func (f *absolute) String() string    { return "abs" }

// Pos is max(e, 0).
func Pos(o Operand) Expr { return MaxExprs([]Expr{o.expr(), {}}) }

// NormInf is the largest |aₖ|.
func NormInf(a Affine) Expr {
	var es []Expr
	for _, e := range entries(a) {
		if e.err != nil {
			return e
		}
		es = append(es, e, e.Neg())
	}
	if len(es) == 0 {
		return Expr{}
	}
	return MaxExprs(es)
}

// entries are the scalars of a, or one erroneous expression.
func entries(a Affine) []Expr {
	if err := a.Err(); err != nil {
		return []Expr{{err: err}}
	}
	es := make([]Expr, a.Len())
	for k := range es {
		es[k] = Expr{lin: a.Entry(k)}
	}
	return es
}

// maxOf is the maximum of sums. The first one wins a tie.
type maxOf struct {
	items   []*sum
	indices []int
	pieces  []Linear // not nil where all items are polyhedral
}

// mostPieces, beside some for each item, bounds what is written out.
const mostPieces = 1000

func newMaxOf(items []*sum) *maxOf {
	m := &maxOf{items: items, pieces: []Linear{}}
	var lists [][]int
	for _, s := range items {
		lists = append(lists, s.lin.Idx)
		for _, t := range s.terms {
			lists = append(lists, t.f.Support())
		}
		if m.pieces == nil {
			continue
		}
		if p := s.Pieces(); p == nil || len(m.pieces)+len(p) > mostPieces+8*len(items) {
			m.pieces = nil // nested maxima multiply
		} else {
			m.pieces = append(m.pieces, p...)
		}
	}
	m.indices = union(lists...)
	return m
}

func (m *maxOf) argmax(x []float64) (int, float64) {
	arg, best := 0, math.Inf(-1)
	for k, s := range m.items {
		if v := s.Value(x); v > best || math.IsNaN(v) {
			arg, best = k, v
		}
	}
	return arg, best
}

func (m *maxOf) Value(x []float64) float64 { _, v := m.argmax(x); return v }

func (m *maxOf) AddSubgrad(dst []float64, scale float64, x []float64) {
	k, _ := m.argmax(x)
	m.items[k].AddSubgrad(dst, scale, x)
}

func (m *maxOf) Support() []int { return m.indices }

func (m *maxOf) Pieces() []Linear { return m.pieces }

func (m *maxOf) Represent(c Canon) Form {
	t := Linear{Idx: []int{c.Var()}, Val: []float64{1}}
	for _, l := range m.pieces {
		c.Row(l.Plus(-1, t), math.Inf(-1), 0)
	}
	if m.pieces == nil {
		for _, s := range m.items {
			c.Row(c.Bound(s).Plus(-1, t), math.Inf(-1), 0)
		}
	}
	return Form{Linear: t}
}

func (m *maxOf) Domain() []Representer {
	var out []Representer
	for _, s := range m.items {
		out = append(out, s.Domain()...)
	}
	return out
}

func (m *maxOf) Inside(x []float64) bool {
	for _, s := range m.items {
		if !s.Inside(x) {
			return false
		}
	}
	return true
}

// nonnegative: a constant ≥ 0 among the items, a nonnegative one, or an affine
// one beside its negative.
func (m *maxOf) nonnegative() bool {
	for _, s := range m.items {
		if s.nonnegative() {
			return true
		}
	}
	for k := 1; k < len(m.items); k++ {
		a, b := m.items[k-1], m.items[k]
		if len(a.terms)+len(b.terms) == 0 && a.lin.equal(b.lin.Scale(-1)) {
			return true
		}
	}
	return false
}

func (m *maxOf) parts() []Convex {
	out := make([]Convex, len(m.items))
	for k, s := range m.items {
		out[k] = s
	}
	return out
}

func (m *maxOf) String() string { return "max" }

// SumLargest is the sum of the k largest entries of a, 1 ≤ k ≤ Len. Of equal
// entries those with lower index count.
// Representation: Boyd and Vandenberghe 2004, ex. 5.19.
func SumLargest(a Affine, k int) Expr {
	if err := a.Err(); err != nil {
		return Expr{err: err}
	}
	if k < 1 || k > a.Len() {
		return badExpr("the sum of the %d largest of %d entries", k, a.Len())
	}
	if a.IsConst() {
		v := slices.Clone(a.c)
		slices.Sort(v)
		s := 0.0
		for _, e := range v[len(v)-k:] {
			s += e
		}
		return Expr{lin: Linear{Const: s}}
	}
	if k == a.Len() {
		return a.Sum().expr()
	}
	s := &sumLargest{a: a, k: k, indices: a.support()}
	s.pool.New = func() any {
		return &ranking{value: make([]float64, a.Len()), order: make([]int, a.Len())}
	}
	return convex(s)
}

// SumLargestOf is the sum of the k largest of DC expressions, with H = Σ hⱼ:
// that of gᵢ + Σ_{j≠i} hⱼ, all convex, less k·H.
func SumLargestOf(k int, us ...Operand) Expr {
	es, _ := toExprs(us)
	var hs []Expr
	for _, e := range es {
		if e.err != nil {
			return e
		}
		if len(e.h) > 0 {
			hs = append(hs, Expr{g: e.h})
		}
	}
	all := SumExprs(hs)
	lifted := make([]Operand, len(es))
	for i, e := range es {
		lifted[i] = SumExprs([]Expr{e, all})
	}
	top := atomOf("sumlargest", func(a Affine) Expr { return SumLargest(a, k) }, lifted, everyEntry(convexEntry))
	return top.Minus(all.Scale(float64(k)))
}

type sumLargest struct {
	a       Affine
	k       int
	indices []int
	pool    sync.Pool // of *ranking
}

// ranking is the room that sorting needs.
type ranking struct {
	value []float64
	order []int
}

// sort orders by descending value, then by ascending index.
func (r *ranking) sort(a *Affine, x []float64) {
	a.ValueTo(r.value, x)
	for i := range r.order {
		r.order[i] = i
	}
	slices.SortFunc(r.order, func(i, j int) int {
		switch {
		case r.value[i] > r.value[j]:
			return -1
		case r.value[i] < r.value[j]:
			return 1
		}
		return i - j
	})
}

func (s *sumLargest) Value(x []float64) float64 {
	r := s.pool.Get().(*ranking)
	defer s.pool.Put(r)
	r.sort(&s.a, x)
	v := 0.0
	for _, i := range r.order[:s.k] {
		v += r.value[i]
	}
	return v
}

func (s *sumLargest) AddSubgrad(dst []float64, scale float64, x []float64) {
	r := s.pool.Get().(*ranking)
	defer s.pool.Put(r)
	r.sort(&s.a, x)
	for _, i := range r.order[:s.k] {
		s.a.addRow(dst, scale, i)
	}
}

func (s *sumLargest) Support() []int { return s.indices }

func (s *sumLargest) Represent(c Canon) Form {
	q := column(c)
	parts, w := []Linear{q}, []float64{float64(s.k)}
	for i := range s.a.c {
		t := column(c)
		c.Row(t, 0, math.Inf(1))
		c.Row(s.a.Entry(i).Plus(-1, q).Plus(-1, t), math.Inf(-1), 0)
		parts, w = append(parts, t), append(w, 1)
	}
	return Form{Linear: sumLinear(parts, w)}
}

func (s *sumLargest) String() string { return "sumlargest" }
