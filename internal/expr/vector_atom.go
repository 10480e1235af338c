package expr

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// VectorAtom is a row of the table of functions of several numbers. Without a split of its own it
// is convex, minus the row if that is concave: of affine functions or of others that keep it
// convex.
type VectorAtom struct {
	Row     *atom.Reduce
	P       []float64
	Args    Array
	pieces  []convex.Linear // of a convex maximum of items that are polyhedral
	Own     func() *Parted  // the split
	less    bool            // see lessSquares
	sign    float64         // of the row
	special *Special        // nil: nothing is
	Indices []int
}

// Special has properties that no row has.
type Special struct {
	Inputs func(a *convex.Array, p []float64) [2]Array // of the node
	Domain convex.Representer                          // nil: as the row says
	Merge  func(all []Term)                            // makes one term of some of a sum; the others get the weight 0
}

// NewSpecial is a row of affine arguments with more that is its own.
func NewSpecial(row *atom.Reduce, p []float64, a convex.Array, s Special) *VectorAtom {
	f := NewVectorAtom(row, p, a)
	f.special = &s
	return f
}

// NewVectorAtom is a row with parameters p of affine arguments.
func NewVectorAtom(row *atom.Reduce, p []float64, a convex.Array) *VectorAtom {
	return &VectorAtom{Row: row, P: p, Args: Array{Array: a}, sign: row.Sign(), Indices: a.Support()}
}

// NewWritten is a row with a split.
func NewWritten(row *atom.Reduce, p []float64, a Array, own *Parted) *VectorAtom {
	f := &VectorAtom{Row: row, P: p, Args: a, Own: func() *Parted { return own }, sign: 1, Indices: own.Indices}
	if f.affine() {
		f.Indices = a.Support()
	}
	return f
}

func (f *VectorAtom) Len() int      { return f.Args.Len() }
func (f *VectorAtom) affine() bool  { return !f.Args.Bent() }
func (f *VectorAtom) Partial() bool { return f.Row.Poles }

func (f *VectorAtom) HasSplit() bool { return f.Own != nil }
func (f *VectorAtom) Split() *Split {
	if f.Own == nil {
		return nil
	}
	return &f.Own().S
}

func (f *VectorAtom) LessSquares() bool { return f.less }

// Is reports whether f is a convex row of affine functions.
func (f *VectorAtom) Is(row *atom.Reduce) bool { return f.Row == row && f.affine() && f.Own == nil }

// RowAt is the affine array of which f is the function row, nil if f is anything else.
func RowAt(f convex.Func, row *atom.Reduce) *convex.Array {
	if r, ok := f.(*VectorAtom); ok && r.Is(row) {
		return &r.Args.Array
	}
	return nil
}

// take computes the arguments at x and the value of the row, in room that put gives back.
func (f *VectorAtom) take(x []float64) *numbers {
	w := takeNumbers(f.Len())
	f.Args.ValueTo(w.all, x)
	f.Row.Value(w.v, w.u, f.P)
	return w
}

func (f *VectorAtom) Value(x []float64) float64 {
	w := f.take(x)
	v := f.sign * w.v[0]
	w.put()
	return v
}

func (f *VectorAtom) AddSubgrad(dst []float64, scale float64, x []float64) {
	f.AddGradient(dst, scale, x)
}

// AddGradient is AddSubgrad, and returns Value.
func (f *VectorAtom) AddGradient(dst []float64, scale float64, x []float64) float64 {
	w := f.take(x)
	v := f.sign * w.v[0]
	g := w.gradient()
	w.adj[0] = f.sign * scale
	f.Row.Slope(g, w.adj, w.u, w.v, f.P)
	f.Args.addRows(dst, g, x)
	w.put()
	return v
}

func (f *VectorAtom) Approx(x []float64) convex.Approx {
	w := takeNumbers(f.Len())
	defer w.put()
	e := w.errors()
	f.Args.approxTo(w.u, e, x)
	f.Row.Value(w.v, w.u, f.P)
	f.Row.Error(w.adj, w.room, w.u, e, w.v, f.P)
	return convex.Approx{V: f.sign * w.v[0], E: w.adj[0]}
}

func (f *VectorAtom) Support() []int { return f.Indices }
func (f *VectorAtom) String() string {
	switch {
	case f.sign < 0:
		return "-" + f.op()
	case f.Row == atom.Inner:
		return "product"
	}
	return f.op()
}

// op is the name of f in problem files.
func (f *VectorAtom) op() string {
	if f.Row == atom.Inner && f.Args.Bent() {
		return "mul"
	}
	return f.Row.Name
}

func (f *VectorAtom) Smooth() bool {
	return f.Row.Smooth && !slices.ContainsFunc(f.Args.Fs, func(e Scalar) bool { return !e.Smooth() })
}

// ranges are the ranges of the arguments.
func (f *VectorAtom) ranges() []interval.Interval {
	out := make([]interval.Interval, f.Len())
	for k := range out {
		e := f.Args.Scalar(k)
		out[k] = e.Over()
	}
	return out
}

// Over: the larger of an affine function and its negative is ≥ 0.
func (f *VectorAtom) Over() interval.Interval {
	i := f.Row.Over(f.ranges(), f.P).Scale(f.sign)
	for k := 1; k < f.Len() && f.Row == atom.Max && i.Lo < 0; k++ {
		u, v := f.Args.Scalar(k-1), f.Args.Scalar(k)
		if u.IsAffineNow() && v.IsAffineNow() && v.Lin.IsNegative(u.Lin) {
			i.Lo = 0
		}
	}
	return i
}

// Represent adds the rows and cones of f.
func (f *VectorAtom) Represent(c convex.Canon) convex.Form {
	if f.Is(atom.SumSquares) {
		return convex.Form{Quad: []convex.Quadratic{{Weight: 1, Arg: f.Args.Array}}}
	}
	if p := f.Pieces(); p != nil {
		return MaxForm(c, p)
	}
	if f.affine() {
		return represent(c, f.Row, f.P, f.reduced())
	}
	u := make([]convex.Linear, len(f.Args.Fs))
	for k := range f.Args.Fs {
		arg, sign := f.Args.Fs[k].oneSided()
		u[k] = c.Bound(arg).Scale(sign)
	}
	return represent(c, f.Row, f.P, u)
}

// reduced are affine functions, maybe fewer than the arguments of f, for which the row has the same
// value.
func (f *VectorAtom) reduced() []convex.Linear {
	a := f.Args.Array
	if f.Row.Rotates {
		a = qrReduced(a)
	}
	return a.Linears()
}

// represent adds the rows and cones of a bound of a row, or of minus a concave one, of u.
func represent(c convex.Canon, row *atom.Reduce, p []float64, u []convex.Linear) convex.Form {
	if row.Bound == nil {
		t := convex.Column(c)
		c.Cone(row.Cone(t, u, p))
		return convex.Form{Linear: t}
	}
	return row.Bound(c, u, p)
}

// Line: of one entry a function of its absolute value is at most b where that is at most b, or √b.
func (f *VectorAtom) Line(b convex.Linear) (row convex.Linear, lo, hi, share float64, ok bool) {
	if !f.affine() || !f.Row.Rotates || !b.IsConst() || b.Const < 0 || f.Row.Root != nil && b.Const == 0 {
		return convex.Linear{}, 0, 0, 0, false
	}
	a := f.reduced()
	if len(a) != 1 {
		return convex.Linear{}, 0, 0, 0, false
	}
	end, share := b.Const, 1.0
	if f.Row.Root != nil {
		end = math.Sqrt(end)
		share = 0.5 / end
	}
	return a[0], -end, end, share, true
}

// Below: the cone of the row. A square that is at most a constant has the cone of its root.
func (f *VectorAtom) Below(b convex.Linear) (k convex.Cone, share []float64, ok bool) {
	if !f.affine() || f.Row.Cone == nil || !f.Row.Rotates && f.special == nil {
		return convex.Cone{}, nil, false
	}
	row, slope := f.Row, 1.0
	if row.Root != nil && b.IsConst() {
		if !(b.Const > 0) {
			return convex.Cone{}, nil, false
		}
		row = row.Root
		b.Const = math.Sqrt(b.Const)
		slope = 0.5 / b.Const
	}
	a := f.reduced()
	alone := row.Cone(convex.Linear{Idx: []int{0}, Val: []float64{1}}, make([]convex.Linear, len(a)), f.P)
	share = make([]float64, len(alone.Rows))
	for i, l := range alone.Rows {
		for _, w := range l.Val {
			share[i] = -slope * w
		}
	}
	return row.Cone(b, a, f.P), share, true
}

// Domain: the domains of the arguments, and the numbers that must not be negative.
func (f *VectorAtom) Domain() []convex.Representer {
	switch {
	case f.Own != nil:
		return nil
	case f.special != nil && f.special.Domain != nil:
		return []convex.Representer{f.special.Domain}
	}
	var out []convex.Representer
	for k := range f.Args.Fs {
		out = append(out, f.Args.Fs[k].Domain()...)
	}
	for k := range f.Len() {
		switch {
		case !f.Row.Entry(k).Nonnegative:
		case f.affine():
			out = append(out, f.Args.Linear(k).Scale(-1))
		default: // minus an affine or a concave function
			e := f.Args.Fs[k].Neg()
			out = append(out, newSum(e.Lin, e.Terms))
		}
	}
	return out
}

// restricted reports whether f may have no value for some numbers.
func (f *VectorAtom) restricted() bool {
	return f.Row.Restricted() || f.special != nil && f.special.Domain != nil
}

// Everywhere reports whether all points have subgradients.
func (f *VectorAtom) Everywhere() bool {
	return f.Own != nil || !f.restricted() &&
		!slices.ContainsFunc(f.Args.Fs, func(e Scalar) bool { return !e.Everywhere() })
}

func (f *VectorAtom) Inside(x []float64) bool {
	if f.Own != nil {
		return true
	}
	for k := range f.Args.Fs {
		if !f.Args.Fs[k].Inside(x) {
			return false
		}
	}
	return f.holds(x)
}

func (f *VectorAtom) within(x []float64) bool {
	return !slices.ContainsFunc(f.Args.Fs, func(e Scalar) bool { return !e.within(x) }) && f.holds(x)
}

// holds reports whether the numbers at x are ones that the row has a slope for.
func (f *VectorAtom) holds(x []float64) bool {
	if !f.restricted() {
		return true
	}
	w := f.take(x)
	defer w.put()
	if f.special != nil && math.IsInf(w.v[0], 0) {
		return false
	}
	for k, u := range w.u {
		if f.Row.Entry(k).Nonnegative && !(u[0] > Steepest) {
			return false
		}
	}
	return true
}

func (f *VectorAtom) Bends() (convex.Bends, bool) {
	of := make([]convex.Bends, f.Len())
	for k := range of {
		e := f.Args.Scalar(k)
		b, ok := e.Bends()
		if of[k] = b; !ok {
			return convex.Bends{}, false
		}
	}
	return bendsOfRow(f.Row, f.Over(), of)
}

func (f *VectorAtom) Node() Node {
	n, half := Node{Name: f.op(), Row: f.Row, Nums: f.P, Minus: f.sign < 0}, f.Len()/2
	switch {
	case f.special != nil:
		n.Inputs = f.special.Inputs(&f.Args.Array, f.P)
	case f.Row == atom.Inner, f.Row.Poles:
		n.Inputs = [2]Array{f.Args.Slice(0, half), f.Args.Slice(half, 2*half)}
	default:
		n.Inputs[0] = f.Args
	}
	return n
}

func (f *VectorAtom) Parts() (out []convex.Func) {
	for k := range f.Args.Fs {
		if f.Own == nil {
			g, _ := f.Args.Fs[k].oneSided()
			out = append(out, g)
		}
	}
	return out
}
