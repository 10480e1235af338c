package subproblem

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp/internal/blocks"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/pass"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Builder assembles a convex problem: it is the dc.Canon that atoms represent
// themselves in. Columns 0 to n−1 are the model's variables.
type Builder struct {
	qp    qpbackend.Problem // without matrices and sides
	vars  int               // of the model: the first columns
	Rows  blocks.List
	p     sparse.Triplets
	forms map[convex.Representer]convex.Form
	above map[convex.Representer]convex.Linear // columns of Bound
	share expr.Sharer
	cuts  []Cut // the rows to be linearised, in order
	apart bool  // squares have columns of their own
	least choices
	owner int   // the function that rows are made for: see Row
	place []int // scratch, by column; all zero
	// pinned are the columns of parameters; nil: there are none.
	pinned []bool
	ctx    context.Context
	left   int // work until ctx is looked at
}

// ended unwinds the calls of a Builder when its context ends: atoms that represent
// themselves know of none.
type ended struct{ error }

// Unwound is deferred by who uses a Builder; the error is that of its context.
func Unwound(err *error) {
	if v := recover(); v != nil {
		e, ok := v.(ended)
		if !ok {
			panic(v)
		}
		*err = e.error
	}
}

// interval is the work between two looks at the context, in numbers that are
// stored. Source: a limit of time, a few milliseconds.
const interval = 1 << 16

// work counts n numbers and unwinds if the context has ended.
func (b *Builder) work(n int) {
	if b.left -= n; b.left > 0 {
		return
	}
	b.left = interval
	if err := b.ctx.Err(); err != nil {
		panic(ended{err})
	}
}

const ownObjective = -1

// NewBuilder has n columns. Once ctx has ended, its methods unwind: see Unwound.
func NewBuilder(ctx context.Context, n int) *Builder {
	b := &Builder{
		ctx: ctx, left: interval, vars: n, owner: ownObjective,
		forms: map[convex.Representer]convex.Form{}, above: map[convex.Representer]convex.Linear{},
	}
	for range n {
		b.Var()
	}
	return b
}

// Var makes a free column.
func (b *Builder) Var() int {
	b.qp.Lo, b.qp.Hi = append(b.qp.Lo, math.Inf(-1)), append(b.qp.Hi, math.Inf(1))
	b.qp.Q, b.place = append(b.qp.Q, 0), append(b.place, 0)
	return b.Cols() - 1
}

// Cols is the number of columns.
func (b *Builder) Cols() int { return len(b.qp.Q) }

// BoundColumn states lo ≤ x[col] ≤ hi.
func (b *Builder) BoundColumn(col int, lo, hi float64) {
	b.qp.Lo[col], b.qp.Hi[col] = max(b.qp.Lo[col], lo), min(b.qp.Hi[col], hi)
}

// BoundVariables states the bounds of the variables of p.
func (b *Builder) BoundVariables(p *program.Problem) {
	for _, v := range p.Vars {
		for i := range v.Len() {
			b.work(1)
			lo, hi := v.Bounds(i)
			b.BoundColumn(v.Offset+i, lo, hi)
		}
	}
}

// Row states lo ≤ a ≤ hi: of one column that the objective alone has, by its bounds, unless these
// exclude it.
func (b *Builder) Row(a convex.Linear, lo, hi float64) {
	if b.owner == ownObjective && len(a.Idx) == 1 && a.Idx[0] >= b.vars && a.Val[0] != 0 {
		j, from, to := a.Idx[0], (lo-a.Const)/a.Val[0], (hi-a.Const)/a.Val[0]
		from, to = min(from, to), max(from, to)
		if from <= b.qp.Hi[j] && to >= b.qp.Lo[j] {
			b.BoundColumn(j, from, to)
			return
		}
	}
	b.AddRow(a, lo, hi, -1)
}

func (b *Builder) AddRow(a convex.Linear, lo, hi float64, entry int) int {
	b.work(1 + len(a.Idx))
	b.Rows.Single = append(b.Rows.Single, blocks.Row{A: a, Lo: lo - a.Const, Hi: hi - a.Const, Owner: b.owner,
		Entry: entry, Share: 1})
	return b.Rows.Count() - 1
}

// Room makes room for so many more rows and tangents.
func (b *Builder) Room(rows, tangents int) {
	b.Rows.Single, b.cuts = slices.Grow(b.Rows.Single, rows+tangents), slices.Grow(b.cuts, tangents)
}

// Tangent states that a is at most the tangent of h: a cut without a slack.
func (b *Builder) Tangent(a convex.Linear, h convex.Func) {
	if l, ok := h.(convex.Linear); ok {
		b.Row(a.AddScaled(-1, l), math.Inf(-1), 0)
		return
	}
	last := len(b.cuts) - 1
	b.cut(a, h, Cut{Slack: NoSlack, Same: last >= 0 && b.cuts[last].H == h}, -1)
}

// Above states the rows of members of the objective with tangents, each at most one of the columns
// that first makes: cuts without slacks. It does not where there are parameters: derivatives look
// at each of their functions.
func (b *Builder) Above(tangents []*pass.Tangent, first func() int) (ok bool) {
	if b.pinned != nil || b.owner != ownObjective {
		return false
	}
	col := first()
	for _, t := range tangents {
		f := blocks.NewFamily(nil, t, nil, b.Rows.Count(), col)
		b.Rows.Objective = append(b.Rows.Objective, f)
		b.work(f.Count())
	}
	return true
}

// cut adds the row a − h ≤ 0 that c describes. Zeros keep the places of h's
// variables.
func (b *Builder) cut(a convex.Linear, h convex.Func, c Cut, entry int) {
	c.H, c.Idx = h, h.Support()
	c.Row = b.AddRow(a, math.Inf(-1), 0, entry)
	b.Rows.At(c.Row).A = a.AddScaled(1, convex.Linear{Idx: c.Idx, Val: make([]float64, len(c.Idx))})
	b.cuts = append(b.cuts, c)
}

// Cone states that the rows lie in the cone.
func (b *Builder) Cone(k convex.Cone) {
	kind := map[convex.ConeKind]qpbackend.ConeKind{
		convex.SecondOrderCone: qpbackend.SecondOrder, convex.ExponentialCone: qpbackend.Exponential,
		convex.PowerCone: qpbackend.Power, convex.SemidefiniteCone: qpbackend.Semidefinite,
	}[k.Kind]
	b.qp.Cones = append(b.qp.Cones, qpbackend.Cone{Kind: kind, Start: b.Rows.Count(), Len: len(k.Rows), Alpha: k.Alpha})
	for _, a := range k.Rows {
		b.AddRow(a, 0, math.Inf(1), -1)
	}
}

// line is implemented by functions for which f ≤ b is lo ≤ row ≤ hi, with share =
// −∂row/∂b.
type line interface {
	Line(b convex.Linear) (row convex.Linear, lo, hi, share float64, ok bool)
}

// atMost states f ≤ 0 for an entry of the current constraint, −1 for none: as one row
// or one cone where that needs no new column. It returns false where there is no such
// row or cone.
func (b *Builder) atMost(f convex.Representer, entry int) bool {
	if f, ok := f.(line); ok {
		if row, lo, hi, share, ok := f.Line(convex.Linear{}); ok {
			r := b.Rows.At(b.AddRow(row, lo, hi, entry))
			r.Share, r.TwoSided = share, !math.IsInf(lo, 0) && !math.IsInf(hi, 0)
			return true
		}
	}
	s, ok := f.(convex.Sublevel)
	if !ok {
		return false
	}
	k, share, ok := s.Below(convex.Linear{})
	if !ok {
		return false
	}
	at, known := b.find(k)
	if known && entry < 0 {
		return true
	}
	if !known || b.Rows.At(at).Entry >= 0 {
		at = b.Rows.Count()
		b.Cone(k)
	}
	for i, w := range share {
		r := b.Rows.At(at + i)
		r.Owner, r.Entry, r.Share = b.owner, entry, w
	}
	return true
}

// inCone states a constraint that is a cone, row by row. It returns false for any
// other.
func (b *Builder) inCone(c *program.Constraint) bool {
	k, ok := c.Cone()
	if !ok {
		return false
	}
	at := b.Rows.Count()
	b.Cone(k)
	for i := range k.Rows {
		r := b.Rows.At(at + i)
		r.Owner, r.Entry, r.Share = b.owner, i, -1 // −y is in the dual cone
	}
	return true
}

// find is the first row of a semidefinite cone that is stated already: a
// domain and an attribute of a variable may say the same.
func (b *Builder) find(k convex.Cone) (at int, ok bool) {
	if k.Kind != convex.SemidefiniteCone {
		return 0, false
	}
	for _, c := range b.qp.Cones {
		same := c.Kind == qpbackend.Semidefinite && c.Len == len(k.Rows)
		for i := 0; same && i < c.Len; i++ {
			same = sameLinear(b.Rows.At(c.Start+i).A, k.Rows[i])
		}
		if same {
			return c.Start, true
		}
	}
	return 0, false
}

func sameLinear(a, b convex.Linear) bool {
	return a.Const == b.Const && slices.Equal(a.Idx, b.Idx) && slices.Equal(a.Val, b.Val)
}

// Form represents f, or returns the form it already has.
func (b *Builder) Form(f convex.Representer) convex.Form {
	if l, ok := f.(convex.Linear); ok {
		return convex.Form{Linear: l}
	}
	f = b.first(f)
	form, ok := b.forms[f]
	if !ok {
		form = f.Represent(b)
		b.forms[f] = form
	}
	return form
}

// first is the first function that is f.
func (b *Builder) first(f convex.Representer) convex.Representer {
	if _, known := b.forms[f]; known {
		return f
	}
	if first, ok := b.share.First(f).(convex.Representer); ok {
		return first
	}
	return f
}

// Bound is Form with a column for the quadratic part.
func (b *Builder) Bound(f convex.Representer) convex.Linear {
	if l, ok := f.(convex.Linear); ok {
		return l
	}
	f = b.first(f)
	l, ok := b.above[f]
	if !ok {
		form := b.Form(f)
		if l = form.Linear; len(form.Quad) > 0 {
			l = l.AddScaled(1, b.epigraph(form.Quad))
		}
		b.above[f] = l
	}
	return l
}

// epigraph makes a column t ≥ Σ wₖ·aᵀQa by the second-order cone
// ‖(t − 1, 2Σ√wₖ·Ra)‖ ≤ t + 1, RᵀR = Q.
func (b *Builder) epigraph(quads []convex.Quadratic) convex.Linear {
	t := convex.Linear{Idx: []int{b.Var()}, Val: []float64{1}}
	rows := []convex.Linear{t.AddScaled(1, convex.Linear{Const: 1}), t.AddScaled(1, convex.Linear{Const: -1})}
	for _, q := range quads {
		a := q.Arg
		if q.Q != nil {
			a = a.LeftMul(b.squareRoot(q.Q), 1, []int{a.Len()})
		}
		for k := range a.Len() {
			rows = append(rows, a.Linear(k).Scale(2*math.Sqrt(q.Weight)))
		}
	}
	b.Cone(convex.Cone{Kind: convex.SecondOrderCone, Rows: rows})
	return t
}

// rootShift is the share of the mean eigenvalue by which a form in a cone may be larger
// than it is stated. Source: four digits below the tolerance of the backends.
const rootShift = 1e-12

// squareRoot is R with RᵀR = q for a positive semidefinite q.
func (b *Builder) squareRoot(q mat.Symmetric) mat.Matrix {
	r, ok, err := dense.Root(b.ctx, q, rootShift)
	if err != nil {
		panic(ended{err})
	}
	if !ok {
		panic("ccp: eigenvalues of a matrix that dc.Quad has factored before")
	}
	return r
}

// Minimise adds the form to the objective.
func (b *Builder) Minimise(f convex.Form) {
	b.AddLinear(f.Linear)
	for _, l := range f.Least {
		b.least.add(l, &b.p, b.Cols())
	}
	var squares []convex.Quadratic
	for _, q := range f.Quad {
		if q.Q != nil {
			b.addQuad(q)
		} else {
			squares = append(squares, q)
		}
	}
	b.addSquares(squares)
}

// AddLinear adds l to the objective.
func (b *Builder) AddLinear(l convex.Linear) {
	for k, j := range l.Idx {
		b.qp.Q[j] += l.Val[k]
	}
	b.qp.R += l.Const
}

// residual is a column equal to l, or l itself if that has but one variable.
func (b *Builder) residual(l convex.Linear) convex.Linear {
	if len(l.Idx) <= 1 {
		return l
	}
	r := convex.Linear{Idx: []int{b.Var()}, Val: []float64{1}}
	b.Row(l.AddScaled(-1, r), 0, 0)
	return r
}

// square adds w·l² to the objective.
func (b *Builder) square(w float64, l convex.Linear) { b.product(w, l, l) }

// product adds w·l·m, half of it in each triangle of P.
func (b *Builder) product(w float64, l, m convex.Linear) {
	b.work(len(l.Idx) * len(m.Idx))
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
		b.qp.Q[i] += w * l.Val[k] * m.Const
	}
	for n, j := range m.Idx {
		b.qp.Q[j] += w * m.Val[n] * l.Const
	}
	b.qp.R += w * l.Const * m.Const
}

// addQuad adds w·aᵀQa, by columns for entries of a with several variables.
func (b *Builder) addQuad(q convex.Quadratic) {
	n := q.Arg.Len()
	u := make([]convex.Linear, n)
	for k := range u {
		u[k] = b.residual(q.Arg.Linear(k))
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

// Problem compresses the collected rows. Zeros are kept, and the cuts located.
func (b *Builder) Problem() *qpbackend.Problem {
	b.work(interval)
	m, p, places := b.Rows.Count(), &b.qp, []int(nil)
	p.A = b.compress()
	b.work(interval)
	p.P, places = b.p.CSC(b.Cols(), b.Cols())
	b.least.locate(places, p.P.NNZ())
	p.L, p.U = make([]float64, m), make([]float64, m)
	b.Rows.Each(
		func(i int, r *blocks.Row) { p.L[i], p.U[i] = r.Lo, r.Hi },
		func(i int, f *blocks.Family, k int) { p.L[i], p.U[i] = math.Inf(-1), -f.Const(k) },
	)
	return p
}
