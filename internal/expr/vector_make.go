package expr

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Convex functions of a vector whose slopes are bounded, such as norms, may be taken of
// any DC functions eₖ = gₖ − hₖ: where each entry of a subgradient of f lies in [−a, b],
// f(g − h) + a·Σ gₖ + b·Σ hₖ is convex, as lifted is of one number (Hartman 1959).

// AsWritten is a row with a split.
func AsWritten(row *atom.Reduce, p []float64, s Split, a Array) Scalar {
	own := NewParted(s)
	return Composite(NewWritten(row, p, a, &own), OwnerOf(a.Fs...).Join(a.Of))
}

// newApplied is a row of DC functions.
func newApplied(row *atom.Reduce, p []float64, es []Scalar) Scalar {
	l := &liftedArray{row: row, p: p}
	l.a, l.b = row.Slopes(len(es), p)
	var lists [][]int
	parts, weights := []Split{ConvexSplit(l)}, []float64{1}
	for k := range es {
		t := es[k].Split()
		up, down := t.convexPart(), t.concavePart()
		parts, weights = append(parts, up, down), append(weights, -l.a, -l.b)
		l.g, l.h = append(l.g, up.Function()), append(l.h, down.Function())
		lists = append(lists, l.g[k].Support(), l.h[k].Support())
	}
	l.indices = convex.Union(lists...)
	return AsWritten(row, p, AddSplits(parts, weights...), Array{Fs: es})
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
func (l *liftedArray) all() *Scalar { return sumOfPairs(l.g, l.h) }

func sumOfPairs(g, h []convex.Representer) *Scalar {
	s := &Scalar{}
	for k := range g {
		s.Terms = append(s.Terms, Term{1, g[k]}, Term{1, h[k]})
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

func (l *liftedArray) Node() Node {
	var es []Scalar
	for k := range l.g {
		es = append(es, Of(l.g[k]), Of(l.h[k]))
	}
	return Node{Name: "lifted " + l.row.Name, Nums: append([]float64{l.a, l.b}, l.p...), Inputs: ExprArgs(es...)}
}

// numbers is the room for the arguments of one value: columns of one number each.
type numbers struct {
	u, e, g      [][]float64
	all          []float64 // the numbers in u, one after the other
	v, adj, room []float64
}

// rooms are pools of *numbers by the number of bits of how many arguments these had room for.
var rooms = [bits.UintSize]sync.Pool{}

// takeNumbers has room for n arguments, which put gives back.
func takeNumbers(n int) *numbers {
	if w, ok := rooms[bits.Len(uint(n))].Get().(*numbers); ok && n <= cap(w.u) {
		w.u = w.u[:n]
		return w
	}
	three := make([]float64, 3)
	w := &numbers{v: three[:1:1], adj: three[1:2:2], room: three[2:]}
	w.u, w.all = columnsOfOne(n)
	return w
}

func (w *numbers) put() { rooms[bits.Len(uint(len(w.u)))].Put(w) }

func columnsOfOne(n int) (columns [][]float64, all []float64) {
	columns, all = make([][]float64, n), make([]float64, n)
	for k := range columns {
		columns[k] = all[k : k+1 : k+1]
	}
	return columns, all
}

// errors and gradient are columns beside u.
func (w *numbers) errors() [][]float64 {
	if w.e == nil {
		w.e, _ = columnsOfOne(cap(w.u))
	}
	return w.e[:len(w.u)]
}

func (w *numbers) gradient() [][]float64 {
	if w.g == nil {
		w.g, _ = columnsOfOne(cap(w.u))
	}
	g := w.g[:len(w.u)]
	for k := range g {
		g[k][0] = 0
	}
	return g
}

// ApplyEntries is a row without forms of its own for some arguments.
func ApplyEntries(row *atom.Reduce, p []float64, a Array) Scalar {
	if a.Bent() {
		return reduceAny(row, p, a.Fs)
	}
	return Reduce(row, p, a.Array)
}

// Reduce is a row of the table of affine functions.
func Reduce(row *atom.Reduce, p []float64, a convex.Array) Scalar {
	switch one := a.Len() == 1; {
	case a.Len() == 0 && row.Single == atom.Itself:
		return Failed("%s of nothing", row.Name)
	case one && row.Single == atom.Itself:
		return OfLinear(a.Linear(0))
	case one && row.Single == atom.Absolute:
		return AbsOf(OfLinear(a.Linear(0)))
	}
	f := NewVectorAtom(row, p, a)
	switch {
	case !a.IsConst() && row.Curvature < 0:
		return ConcaveOf(f, a.Of)
	case !a.IsConst():
		return ConvexOf(f, a.Of)
	}
	v := f.Value(nil)
	if math.IsInf(v, 0) && !f.Everywhere() {
		return Failed("%s at %g, outside its domain", row.Name, a.C)
	}
	return Number(row.Sign() * v)
}

// reduceAny is a row of expressions: of those that the directions of the row allow it is convex or
// concave; of others see newApplied.
func reduceAny(row *atom.Reduce, p []float64, es []Scalar) Scalar {
	for _, e := range es {
		if e.Err != nil {
			return e
		}
	}
	if AllAffine(es) {
		return Reduce(row, p, AffineParts(es))
	}
	parts := make([]Split, len(es))
	for k := range es {
		if err := fits(row, k, &es[k]); err != nil {
			if row.Slopes == nil {
				return Scalar{Err: err}
			}
			return newApplied(row, p, es)
		}
		parts[k] = *es[k].Split()
	}
	f := NewComposed(row, p, parts)
	if row.Curvature < 0 {
		return ConcaveOf(f, OwnerOf(es...))
	}
	return ConvexOf(f, OwnerOf(es...))
}

// AllAffine reports whether the splits show all of us to be affine.
func AllAffine(us []Scalar) bool {
	return !slices.ContainsFunc(us, func(e Scalar) bool { return e.Err != nil || !e.IsAffine() })
}

// fits is an error where a row of which e is number k does not keep its curvature.
func fits(row *atom.Reduce, k int, e *Scalar) error {
	need, ok := "affine", false
	switch m := row.Entry(k).Monotone; {
	case e.IsAffine():
		return nil
	case m == atom.Falling, m == atom.Rising && row.Curvature < 0:
		need, ok = "concave", e.IsConcave()
	case m == atom.Rising:
		need, ok = "convex", e.IsConvex()
	case m == atom.Outward && e.IsConvex():
		need, ok = "known to be nonnegative", e.Split().Nonnegative()
	case m == atom.Outward:
		need = "convex"
	}
	if ok {
		return nil
	}
	return Failed("no DC split for %s of this: entry %d of it is not %s", row.Name, k+1, need).Err
}

// NewComposed is a row of convex or concave splits.
func NewComposed(row *atom.Reduce, p []float64, parts []Split) *VectorAtom {
	f := &VectorAtom{Row: row, P: p, sign: row.Sign()}
	var lists [][]int
	for k := range parts {
		f.Args.Fs = append(f.Args.Fs, parts[k].expr())
		lists = append(lists, f.Args.Fs[k].Support())
	}
	f.Indices = convex.Union(lists...)
	return f
}
