package ccp

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// builder assembles a convex problem: it is the dc.Canon that atoms represent
// themselves in. Columns 0 to n−1 are the model's variables.
type builder struct {
	cols  int
	lo    []float64 // bounds of the first columns; further ones have none
	hi    []float64
	rows  []row
	cones []qpbackend.Cone
	q     []term // linear objective, duplicates allowed
	r     float64
	p     sparse.Triplets
	forms map[dc.Representer]dc.Form
	above map[dc.Representer]dc.Linear // columns of Bound
	share dc.Sharer
	cuts  []cut // the rows to be linearised, in order
	owner int   // what rows are made for at present: see row
	place []int // scratch, by column; all zero
}

// term is one coefficient of the linear objective.
type term struct {
	col int
	v   float64
}

// row is lo ≤ a ≤ hi, or one row of a cone (lo = −a.Const, the bounds of an
// interval row likewise without the constant).
type row struct {
	a      dc.Linear
	lo, hi float64
	owner  int     // index of the constraint, or ownObjective
	entry  int     // which entry of that constraint, −1: an auxiliary row
	share  float64 // how much of the row's multiplier counts for that entry's
	either bool    // that of either side counts, with its size
	zeros  []int   // columns that a lacks and that get a stored zero
}

const ownObjective = -1

func newBuilder(n int) *builder {
	return &builder{cols: n, forms: map[dc.Representer]dc.Form{}, above: map[dc.Representer]dc.Linear{}, owner: ownObjective}
}

// Var makes a free column.
func (b *builder) Var() int {
	b.cols++
	return b.cols - 1
}

// bound states lo ≤ x[col] ≤ hi.
func (b *builder) bound(col int, lo, hi float64) {
	for len(b.lo) <= col {
		b.lo, b.hi = append(b.lo, math.Inf(-1)), append(b.hi, math.Inf(1))
	}
	b.lo[col], b.hi[col] = max(b.lo[col], lo), min(b.hi[col], hi)
}

// bounds states those of the variables of p.
func (b *builder) bounds(p *dc.Problem) {
	for _, v := range p.Vars {
		for i := range v.Len() {
			lo, hi := v.Bounds(i)
			b.bound(v.Offset+i, lo, hi)
		}
	}
}

// Row states lo ≤ a ≤ hi.
func (b *builder) Row(a dc.Linear, lo, hi float64) { b.addRow(a, lo, hi, -1) }

func (b *builder) addRow(a dc.Linear, lo, hi float64, entry int) int {
	b.rows = append(b.rows, row{a: a, lo: lo - a.Const, hi: hi - a.Const, owner: b.owner, entry: entry, share: 1})
	return len(b.rows) - 1
}

// Tangent states that a is at most the tangent of h: a cut without a slack.
func (b *builder) Tangent(a dc.Linear, h dc.Convex) {
	if l, ok := h.(dc.Linear); ok {
		b.Row(a.Plus(-1, l), math.Inf(-1), 0)
		return
	}
	last := len(b.cuts) - 1
	b.cut(a, h, cut{slack: noSlack, same: last >= 0 && b.cuts[last].h == h}, -1)
}

// cut adds the row a − h ≤ 0 that c describes. Zeros keep the places of h's
// variables.
func (b *builder) cut(a dc.Linear, h dc.Convex, c cut, entry int) {
	c.h, c.idx, c.fresh = h, h.Support(), true
	c.row = b.addRow(a, math.Inf(-1), 0, entry)
	r := &b.rows[c.row]
	c.u, r.zeros = r.hi, lacking(c.idx, r.a.Idx)
	if len(r.zeros) < len(c.idx) {
		c.base = make([]float64, len(c.idx))
	}
	b.cuts = append(b.cuts, c)
}

// Cone states that the rows lie in the cone.
func (b *builder) Cone(k dc.Cone) {
	kind := map[dc.ConeKind]qpbackend.ConeKind{
		dc.SecondOrderCone: qpbackend.SecondOrder, dc.ExponentialCone: qpbackend.Exponential,
		dc.PowerCone: qpbackend.Power, dc.SemidefiniteCone: qpbackend.Semidefinite,
	}[k.Kind]
	b.cones = append(b.cones, qpbackend.Cone{Kind: kind, Start: len(b.rows), Len: len(k.Rows), Alpha: k.Alpha})
	for _, a := range k.Rows {
		b.rows = append(b.rows, row{a: a, lo: -a.Const, hi: math.Inf(1), owner: b.owner, entry: -1})
	}
}

// atMost states f ≤ 0 for an entry of the constraint at hand, −1 for none: as one
// cone where that needs no new column. It returns false where there is no such
// cone.
func (b *builder) atMost(f dc.Representer, entry int) bool {
	s, ok := f.(dc.Sublevel)
	if !ok {
		return false
	}
	k, share, ok := s.Below(dc.Linear{})
	if !ok {
		return false
	}
	if k.Kind == dc.SecondOrderCone && len(k.Rows) == 2 && k.Rows[0].IsConst() { // |a| ≤ c
		c := k.Rows[0].Const
		at := b.addRow(k.Rows[1], -c, c, entry)
		b.rows[at].share, b.rows[at].either = -share[0], true
		return true
	}
	if k.Kind == dc.SecondOrderCone && len(k.Rows) == 1 { // a ≥ 0
		at := b.addRow(k.Rows[0], 0, math.Inf(1), entry)
		b.rows[at].share = share[0]
		return true
	}
	at, known := b.find(k)
	if known && entry < 0 {
		return true
	}
	if !known || b.rows[at].entry >= 0 {
		at = len(b.rows)
		b.Cone(k)
	}
	for i, w := range share {
		r := &b.rows[at+i]
		r.owner, r.entry, r.share = b.owner, entry, w
	}
	return true
}

// find is the first row of a semidefinite cone that is stated already: a
// domain and an attribute of a variable may say the same.
func (b *builder) find(k dc.Cone) (at int, ok bool) {
	if k.Kind != dc.SemidefiniteCone {
		return 0, false
	}
	for _, c := range b.cones {
		same := c.Kind == qpbackend.Semidefinite && c.Len == len(k.Rows)
		for i := 0; same && i < c.Len; i++ {
			same = sameLinear(b.rows[c.Start+i].a, k.Rows[i])
		}
		if same {
			return c.Start, true
		}
	}
	return 0, false
}

func sameLinear(a, b dc.Linear) bool {
	return a.Const == b.Const && slices.Equal(a.Idx, b.Idx) && slices.Equal(a.Val, b.Val)
}

// Form represents f, or returns the form it already has.
func (b *builder) Form(f dc.Representer) dc.Form {
	if l, ok := f.(dc.Linear); ok {
		return dc.Form{Linear: l}
	}
	if form, ok := b.forms[f]; ok {
		return form
	}
	if first, ok := b.share.First(f).(dc.Representer); ok && first != f {
		return b.Form(first)
	}
	form := f.Represent(b)
	b.forms[f] = form
	return form
}

// Bound is Form with a column for the quadratic part.
func (b *builder) Bound(f dc.Representer) dc.Linear {
	if l, ok := f.(dc.Linear); ok {
		return l
	}
	if l, ok := b.above[f]; ok {
		return l
	}
	if first, ok := b.share.First(f).(dc.Representer); ok && first != f {
		return b.Bound(first)
	}
	form := b.Form(f)
	l := form.Linear
	if len(form.Quad) > 0 {
		l = l.Plus(1, b.epigraph(form.Quad))
	}
	b.above[f] = l
	return l
}

// epigraph makes a column t ≥ Σ wₖ·aᵀQa by the second-order cone
// ‖(t − 1, 2Σ√wₖ·Ra)‖ ≤ t + 1, RᵀR = Q.
func (b *builder) epigraph(quads []dc.Quadratic) dc.Linear {
	t := dc.Linear{Idx: []int{b.Var()}, Val: []float64{1}}
	rows := []dc.Linear{t.Plus(1, dc.Linear{Const: 1}), t.Plus(1, dc.Linear{Const: -1})}
	for _, q := range quads {
		a := q.Arg
		if q.Q != nil {
			a = a.Reshape(a.Len()).MatMul(squareRoot(q.Q))
		}
		for k := range a.Len() {
			rows = append(rows, a.Entry(k).Scale(2*math.Sqrt(q.Weight)))
		}
	}
	b.Cone(dc.Cone{Kind: dc.SecondOrderCone, Rows: rows})
	return t
}

// squareRoot is R with RᵀR = q for a positive semidefinite q, by eigenvalues.
func squareRoot(q mat.Symmetric) mat.Matrix {
	var eig mat.EigenSym
	n := q.SymmetricDim()
	if !eig.Factorize(q, true) {
		panic("ccp: eigenvalues of a matrix that dc.Quad has factored before")
	}
	λ := eig.Values(nil)
	var v mat.Dense
	eig.VectorsTo(&v)
	r := mat.NewDense(n, n, nil)
	for k := range n {
		s := math.Sqrt(max(λ[k], 0))
		for i := range n {
			r.Set(k, i, s*v.At(i, k))
		}
	}
	return r
}

// minimise adds the form to the objective.
func (b *builder) minimise(f dc.Form) {
	b.addLinear(f.Linear)
	joint := b.joint(f.Quad)
	for k, q := range f.Quad {
		switch {
		case q.Q != nil:
			b.addQuad(q)
		case joint == nil || !joint[k]:
			b.addSquares(q.Weight, q.Arg)
		}
	}
	if joint != nil {
		var together []dc.Quadratic
		for k, q := range f.Quad {
			if joint[k] {
				together = append(together, q)
			}
		}
		b.gram(together, b.columnsOf(together))
	}
}

func (b *builder) addLinear(l dc.Linear) {
	for k, j := range l.Idx {
		b.q = append(b.q, term{j, l.Val[k]})
	}
	b.r += l.Const
}

// residual is a column equal to l, or l itself if that has but one variable.
func (b *builder) residual(l dc.Linear) dc.Linear {
	if len(l.Idx) <= 1 {
		return l
	}
	r := dc.Linear{Idx: []int{b.Var()}, Val: []float64{1}}
	b.Row(l.Plus(-1, r), 0, 0)
	return r
}

// square adds w·l² to the objective.
func (b *builder) square(w float64, l dc.Linear) { b.product(w, l, l) }

// product adds w·l·m, half of it in each triangle of P.
func (b *builder) product(w float64, l, m dc.Linear) {
	for k, i := range l.Idx {
		for n, j := range m.Idx {
			v := w * l.Val[k] * m.Val[n]
			switch { // ½xᵀPx with the upper triangle stored
			case i == j:
				b.p.Add(i, i, 2*v)
			case i < j:
				b.p.Add(i, j, v)
			default:
				b.p.Add(j, i, v)
			}
		}
		b.q = append(b.q, term{i, w * l.Val[k] * m.Const})
	}
	for n, j := range m.Idx {
		b.q = append(b.q, term{j, w * m.Val[n] * l.Const})
	}
	b.r += w * l.Const * m.Const
}

// addQuad adds w·aᵀQa, by columns for entries of a with several variables.
func (b *builder) addQuad(q dc.Quadratic) {
	n := q.Arg.Len()
	u := make([]dc.Linear, n)
	for k := range u {
		u[k] = b.residual(q.Arg.Entry(k))
	}
	for i := range n {
		b.product(q.Weight*q.Q.At(i, i), u[i], u[i])
		for j := i + 1; j < n; j++ {
			if v := q.Q.At(i, j); v != 0 {
				b.product(2*q.Weight*v, u[i], u[j])
			}
		}
	}
}

// problem compresses what was collected. Zeros are kept, and the cuts located.
func (b *builder) problem(cuts []cut) (*qpbackend.Problem, error) {
	m := len(b.rows)
	p := &qpbackend.Problem{Q: make([]float64, b.cols), R: b.r, L: make([]float64, m), U: make([]float64, m), Cones: b.cones}
	p.A = compress(b.rows, b.cols, cuts)
	p.P, _ = b.p.CSC(b.cols, b.cols)
	for len(b.lo) < b.cols {
		b.lo, b.hi = append(b.lo, math.Inf(-1)), append(b.hi, math.Inf(1))
	}
	p.Lo, p.Hi = b.lo, b.hi
	for i, r := range b.rows {
		p.L[i], p.U[i] = r.lo, r.hi
	}
	for _, t := range b.q {
		p.Q[t.col] += t.v
	}
	return p, nil
}
