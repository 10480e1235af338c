package dc

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// vectorAtom is a row of the table of functions of several numbers. Without a split of its own it
// is convex, minus the row if that is concave: of affine functions or of others that keep it
// convex.
type vectorAtom struct {
	row     *atom.Reduce
	p       []float64
	a       *convex.Array // the arguments, or:
	items   []scalar
	own     func() *parted // the split
	less    bool           // see lessSquares
	sign    float64        // of the row
	indices []int
}

func newVectorAtom(row *atom.Reduce, p []float64, a convex.Array) *vectorAtom {
	return &vectorAtom{row: row, p: p, a: &a, sign: row.Sign(), indices: a.Support()}
}

// newWritten is a row of expressions with a split.
func newWritten(row *atom.Reduce, p []float64, es []scalar, own *parted) *vectorAtom {
	get := func() *parted { return own }
	return &vectorAtom{row: row, p: p, items: es, own: get, sign: 1, indices: own.indices}
}

func (f *vectorAtom) len() int {
	if f.a != nil {
		return len(f.a.C)
	}
	return len(f.items)
}

func (f *vectorAtom) hasSplit() bool { return f.own != nil }
func (f *vectorAtom) split() *split {
	if f.own == nil {
		return nil
	}
	return &f.own().s
}

// settled is the split of a maximum: see settled.
func (f *vectorAtom) settled() *split {
	if f.row != atom.Max {
		return nil
	}
	return f.split()
}

func (f *vectorAtom) lessSquares() bool { return f.less }

// is reports whether f is a convex row of affine functions.
func (f *vectorAtom) is(row *atom.Reduce) bool { return f.row == row && f.a != nil && f.own == nil }

// rowAt is the affine array of which f is the function row, nil if f is anything else.
func rowAt(f convex.Func, row *atom.Reduce) *convex.Array {
	if r, ok := f.(*vectorAtom); ok && r.is(row) {
		return r.a
	}
	return nil
}

// take computes the arguments at x and the value of the row, in room that put gives back.
func (f *vectorAtom) take(x []float64) *numbers {
	w := takeNumbers(f.len())
	if f.a != nil {
		f.a.ValueTo(w.all, x)
	} else {
		for k := range f.items {
			w.u[k][0] = f.items[k].value(x)
		}
	}
	f.row.Value(w.v, w.u, f.p)
	return w
}

func (f *vectorAtom) Value(x []float64) float64 {
	w := f.take(x)
	v := f.sign * w.v[0]
	w.put()
	return v
}

func (f *vectorAtom) AddSubgrad(dst []float64, scale float64, x []float64) {
	f.AddGradient(dst, scale, x)
}

// AddGradient is AddSubgrad, and returns Value.
func (f *vectorAtom) AddGradient(dst []float64, scale float64, x []float64) float64 {
	w := f.take(x)
	v := f.sign * w.v[0]
	g := w.gradient()
	w.adj[0] = f.sign * scale
	f.row.Slope(g, w.adj, w.u, w.v, f.p)
	for k := range g {
		switch v := g[k][0]; {
		case f.a != nil:
			f.a.AddRow(dst, v, k)
		case v != 0:
			f.items[k].addSubgrad(dst, v, x)
		}
	}
	w.put()
	return v
}

func (f *vectorAtom) Approx(x []float64) convex.Approx {
	w := takeNumbers(f.len())
	defer w.put()
	e := w.errors()
	if f.a != nil {
		rows := f.a.Approxes(x)
		for k, u := range w.u {
			a := rows.At(k)
			u[0], e[k][0] = a.V, a.E
		}
	} else {
		for k := range f.items {
			a := f.items[k].Approx(x)
			w.u[k][0], e[k][0] = a.V, a.E
		}
	}
	f.row.Value(w.v, w.u, f.p)
	f.row.Error(w.adj, w.room, w.u, e, w.v, f.p)
	return convex.Approx{V: f.sign * w.v[0], E: w.adj[0]}
}

func (f *vectorAtom) Support() []int { return f.indices }
func (f *vectorAtom) String() string {
	switch {
	case f.sign < 0:
		return "-" + f.op()
	case f.row == atom.Inner:
		return "product"
	}
	return f.op()
}

// op is the name of f in problem files.
func (f *vectorAtom) op() string {
	if f.row == atom.Inner && f.items != nil {
		return "mul"
	}
	return f.row.Name
}

func (f *vectorAtom) Smooth() bool {
	return f.row.Smooth && !slices.ContainsFunc(f.items, func(e scalar) bool { return !e.smooth() })
}

// ranges are the ranges of the arguments.
func (f *vectorAtom) ranges() []interval.Interval {
	out := make([]interval.Interval, f.len())
	for k := range out {
		if f.a != nil {
			out[k] = f.a.Over(k)
		} else {
			out[k] = f.items[k].Range()
		}
	}
	return out
}

func (f *vectorAtom) Over() interval.Interval { return f.row.Over(f.ranges(), f.p).Scale(f.sign) }

// Represent adds the rows and cones of f.
func (f *vectorAtom) Represent(c convex.Canon) convex.Form {
	if f.is(atom.SumSquares) {
		return convex.Form{Quad: []convex.Quadratic{{Weight: 1, Arg: *f.a}}}
	}
	if f.a != nil {
		return represent(c, f.row, f.p, f.reduced())
	}
	u := make([]convex.Linear, len(f.items))
	for k := range f.items {
		arg, sign := f.items[k].oneSided()
		u[k] = c.Bound(arg).Scale(sign)
	}
	return represent(c, f.row, f.p, u)
}

// reduced are affine functions, maybe fewer than the arguments of f, for which the row has the same
// value.
func (f *vectorAtom) reduced() []convex.Linear {
	a := *f.a
	if f.row.Rotates {
		a = qrReduced(a)
	}
	out := make([]convex.Linear, a.Len())
	for k := range out {
		out[k] = a.Linear(k)
	}
	return out
}

// represent adds the rows and cones of a bound of a row, or of minus a concave one, of u.
func represent(c convex.Canon, row *atom.Reduce, p []float64, u []convex.Linear) convex.Form {
	to := canon{c, u}
	if row.Bound == nil {
		t := to.Column()
		to.Cone(row.Cone(t, arguments(len(u)), p))
		return convex.Form{Linear: to.linear(t)}
	}
	return to.form(row.Bound(&to, arguments(len(u)), p))
}

// Line: of one entry a function of its absolute value is at most b where that is at most b, or √b.
func (f *vectorAtom) Line(b convex.Linear) (row convex.Linear, lo, hi, share float64, ok bool) {
	if f.a == nil || !f.row.Rotates || !b.IsConst() || b.Const < 0 || f.row.Root != nil && b.Const == 0 {
		return convex.Linear{}, 0, 0, 0, false
	}
	a := f.reduced()
	if len(a) != 1 {
		return convex.Linear{}, 0, 0, 0, false
	}
	end, share := b.Const, 1.0
	if f.row.Root != nil {
		end = math.Sqrt(end)
		share = 0.5 / end
	}
	return a[0], -end, end, share, true
}

// Below: the cone of the row. A square that is at most a constant has the cone of its root.
func (f *vectorAtom) Below(b convex.Linear) (k convex.Cone, share []float64, ok bool) {
	if f.a == nil || !f.row.Rotates {
		return convex.Cone{}, nil, false
	}
	row, slope := f.row, 1.0
	if row.Root != nil && b.IsConst() {
		if !(b.Const > 0) {
			return convex.Cone{}, nil, false
		}
		row = row.Root
		b.Const = math.Sqrt(b.Const)
		slope = 0.5 / b.Const
	}
	a := f.reduced()
	to := canon{u: append(a, b)}
	cone := row.Cone(atom.Argument(len(a)), arguments(len(a)), f.p)
	share = make([]float64, len(cone.Rows))
	for i, l := range cone.Rows {
		for _, t := range l.Terms {
			if t.At == ^len(a) {
				share[i] -= slope * t.W
			}
		}
	}
	return to.cone(cone), share, true
}

// Domain: the domains of the arguments, and the numbers that must not be negative.
func (f *vectorAtom) Domain() []convex.Representer {
	if f.own != nil {
		return nil
	}
	var out []convex.Representer
	for k := range f.items {
		out = append(out, f.items[k].domain()...)
	}
	for k := range f.len() {
		switch {
		case !f.row.Entry(k).Nonnegative:
		case f.a != nil:
			out = append(out, f.a.Linear(k).Scale(-1))
		default: // minus an affine or a concave function
			e := f.items[k].Neg()
			out = append(out, newSum(e.lin, e.terms))
		}
	}
	return out
}

// Everywhere reports whether all points have subgradients.
func (f *vectorAtom) Everywhere() bool {
	return f.own != nil || !f.row.Restricted() &&
		!slices.ContainsFunc(f.items, func(e scalar) bool { return !e.everywhere() })
}

func (f *vectorAtom) Inside(x []float64) bool {
	if f.own != nil {
		return true
	}
	for k := range f.items {
		if !f.items[k].inside(x) {
			return false
		}
	}
	if !f.row.Restricted() {
		return true
	}
	w := f.take(x)
	defer w.put()
	for k, u := range w.u {
		if f.row.Entry(k).Nonnegative && !(u[0] > steepest) {
			return false
		}
	}
	return true
}

func (f *vectorAtom) Bends() (convex.Bends, bool) {
	of := make([]convex.Bends, f.len())
	for k := range of {
		if f.a != nil {
			of[k] = convex.AffineBends(f.a.Linear(k))
			continue
		}
		b, ok := bendsOf(&f.items[k])
		if of[k] = b; !ok {
			return convex.Bends{}, false
		}
	}
	return bendsOfRow(f.row, f.Over(), of)
}

func (f *vectorAtom) node() Node {
	n, half := Node{op: f.op(), row: f.row, nums: f.p, negative: f.sign < 0}, f.len()/2
	switch {
	case f.row == atom.Inner && f.a == nil:
		n.args = [2]argument{{exprs: f.items[:half]}, {exprs: f.items[half:]}}
	case f.row == atom.Inner:
		u, v := f.a.Slice(0, half), f.a.Slice(half, 2*half)
		n.args = affineArgs(&u, &v)
	case f.a != nil:
		n.args = affineArgs(f.a)
	default:
		n.args = exprArgs(f.items...)
	}
	return n
}

func (f *vectorAtom) Parts() (out []convex.Func) {
	for k := range f.items {
		if f.own == nil {
			g, _ := f.items[k].oneSided()
			out = append(out, g)
		}
	}
	return out
}
