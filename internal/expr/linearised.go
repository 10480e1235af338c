package expr

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/num"
)

// StandIn is an expression that stands for a convex function which is subtracted, which it need not
// be: it has values and subgradients alone.
type StandIn struct {
	E       Scalar
	of      Written // of sign·of, a function without a split: it is linearised; nil: of others
	sign    float64
	Part    bool    // program.Problem.Linearised has made it
	All     *Scalar // of the functions in the splits of the arguments: they have the domain
	Whole   bool    // these have subgradients at all points, and e has a value
	Indices []int
	args    []Scalar // of the function, if it is one

	domain func() []convex.Representer // of All, each function once
}

func (f *StandIn) Value(x []float64) float64 { return f.E.Value(x) }
func (f *StandIn) AddSubgrad(dst []float64, scale float64, x []float64) {
	f.E.AddSubgrad(dst, scale, x)
}
func (f *StandIn) Support() []int                   { return f.Indices }
func (f *StandIn) Smooth() bool                     { return f.E.Smooth() }
func (f *StandIn) Approx(x []float64) convex.Approx { return f.E.Approx(x) }
func (f *StandIn) Everywhere() bool                 { return f.Whole }

func (f *StandIn) Domain() []convex.Representer {
	if f.domain == nil {
		return f.All.Domain()
	}
	return f.domain()
}

func (f *StandIn) Inside(x []float64) bool {
	switch {
	case f.Whole:
		return true
	case !num.Finite(f.E.Value(x)):
		return false
	case f.Part:
		return f.E.within(x)
	}
	return !slices.ContainsFunc(f.args, func(e Scalar) bool { return !e.within(x) })
}

// Node: those that are not linearised are no one else's.
func (f *StandIn) Node() Node {
	if f.of == nil {
		return Node{Name: "minus", Key: f}
	}
	return Node{Name: "tangent", Nums: []float64{f.sign}, Inputs: ExprArgs(Scalar{Terms: []Term{{1, f.of}}})}
}

func (f *StandIn) String() string {
	if f.of == nil {
		return fmt.Sprint(f.E.Terms[len(f.E.Terms)-1].F)
	}
	return fmt.Sprintf("a function of a %v without a split", f.of)
}

// Parts of a function that is linearised.
func (f *StandIn) Parts() []convex.Func {
	if f.of == nil {
		return nil
	}
	return f.All.Parts()
}

// turned is −f.
func (f *StandIn) turned() *StandIn {
	t := *f
	t.E, t.sign = f.E.Neg(), -f.sign
	return &t
}

// WithTangents reports whether functions are among e that are linearised: then a smooth function of
// e is.
func (e *Scalar) WithTangents() bool {
	s := e.SplitNow()
	return someLinearised(s.G) || someLinearised(s.H)
}

// TangentIn reports whether f is made of functions that are linearised.
func TangentIn(f convex.Func) bool {
	if p, ok := f.(convex.Compound); ok && slices.ContainsFunc(p.Parts(), TangentIn) {
		return true
	}
	return (Term{F: f}).Linearised()
}

// MoveTangents gives the functions that are linearised a split, by bounds of their second
// derivatives. Functions without such bounds are brought into h.
func (e *Scalar) MoveTangents() {
	s := e.SplitNow()
	if s.moved || !someLinearised(s.G) && !someLinearised(s.H) {
		return
	}
	rest, parts, weights := Split{Lin: s.Lin}, []Split{{}}, []float64{1}
	var left []Term
	for side, terms := range [2][]Term{s.G, s.H} {
		for _, t := range terms {
			f, ok := t.F.(*StandIn)
			ok = ok && f.of != nil
			switch {
			case !ok && side == 0:
				rest.G = append(rest.G, t)
				continue
			case !ok:
				rest.H = append(rest.H, t)
				continue
			case side == 0:
				f = f.turned()
			}
			if by, ok := f.bounded(); ok {
				parts, weights = append(parts, by), append(weights, t.W)
			} else {
				left = append(left, Term{t.W, f})
			}
		}
	}
	parts[0] = rest
	out := AddSplits(parts, weights...)
	out.H, out.Touches, out.moved = append(out.H, left...), out.Touches || s.Touches, true
	e.ReplaceSplit(out)
}

// bounded is the split of −t, where the second derivative of t has bounds: q − (q + t) for squares
// q that bend at least as much.
func (t *StandIn) bounded() (Split, bool) {
	if c, ok := t.of.(*CurveAtom); ok {
		if s, ok := c.splitBy(-t.sign); ok {
			return s, true
		}
	}
	b, ok := bendsOfFunction(t.of)
	if !ok {
		return Split{}, false
	}
	list := b.Up
	if t.sign > 0 { // it stands for −t
		list = b.Down
	}
	rows := make([]convex.Linear, 0, len(list))
	for _, s := range list {
		if !num.Finite(s.W) {
			return Split{}, false
		}
		if s.W > 0 {
			rows = append(rows, centred(s.A).Scale(math.Sqrt(s.W/2)))
		}
	}
	var q []Term
	bent := &StandIn{E: t.E, All: t.All, Whole: t.Whole, args: t.args, domain: t.domain, Indices: t.Indices}
	if len(rows) > 0 {
		q = []Term{{1, NewVectorAtom(atom.SumSquares, nil, convex.Entries(rows...))}}
		bent.E = Scalar{Terms: append(slices.Clip(q), t.E.Terms...)}
		bent.Indices = convex.Union(t.Indices, q[0].F.Support())
	}
	return Split{G: q, H: []Term{{1, bent}}}, true
}

// centred is l less the middle of its range: its square is as small as it can be.
func centred(l convex.Linear) convex.Linear {
	i := l.Over()
	if !i.IsFinite() {
		return l
	}
	return l.AddScaled(-1, convex.Linear{Const: i.Lo/2 + i.Hi/2})
}

// Made is the expression of a function f of es with split s. It is s itself
// where that is a convex function and says as much as f.
func Made(f func(Parted) Written, s Split, es ...Scalar) Scalar {
	simple := s.IsAffine() || s.IsConvex() && len(s.G) == 1 && s.G[0].W == 1 && s.Lin.IsZero()
	if len(s.G) == 1 {
		_, other := s.G[0].F.(*lifted) // as it is written f is another function
		simple = simple && !other
	}
	for k := range es {
		simple = simple && !es[k].Composite && es[k].IsConvex()
	}
	of := OwnerOf(es...)
	if simple {
		return Scalar{Lin: s.Lin, Terms: s.G, Of: of}
	}
	return Composite(f(NewParted(s)), of)
}

// G is the convex part, the affine part included. It is a Representer unless
// an Oracle or another function without representation is in it; see
// Unrepresentable.
func (e Scalar) G() convex.Representer {
	e.MoveTangents()
	s := e.SplitNow()
	return newSum(s.Lin, s.G)
}

// H is the convex part that is subtracted: the expression is G − H.
func (e Scalar) H() convex.Func {
	e.MoveTangents()
	s := e.SplitNow()
	return newSum(convex.Linear{}, s.H)
}

// Unrepresentable returns a function in g that has values and subgradients
// only, so that it could only be an h, or nil.
func (e Scalar) Unrepresentable() convex.Func {
	e.MoveTangents()
	s := e.SplitNow()
	for _, t := range s.G {
		if !representable(t.F) {
			return t.F
		}
	}
	return nil
}

// IsDC reports whether e is known as a difference of convex functions. Of others, smooth
// functions without bounds of their second derivatives, as quotients through 0, are linearised
// without the guarantees of a split.
func (e Scalar) IsDC() bool {
	e.MoveTangents()
	s := e.SplitNow()
	in := func(t Term) bool { return TangentIn(t.F) }
	return !s.Touches && !slices.ContainsFunc(s.G, in) && !slices.ContainsFunc(s.H, in)
}

// TangentInside is a function in h with a part that is linearised without a split, nil if there is
// none.
func (e *Scalar) TangentInside() convex.Func {
	s := e.SplitNow()
	for _, t := range s.H {
		if !t.Linearised() && TangentIn(t.F) {
			return t.F
		}
	}
	return nil
}

// representable looks into sums and compositions, at each function once.
func representable(f convex.Func) bool {
	if _, ok := f.(convex.Compound); !ok {
		_, ok := f.(convex.Representer)
		return ok
	}
	return representableIn(f, map[convex.Func]bool{})
}

func representableIn(f convex.Func, seen map[convex.Func]bool) bool {
	if _, ok := f.(convex.Linear); ok {
		return true // and no key for a map
	}
	if seen[f] {
		return true // or reported where it was seen first
	}
	seen[f] = true
	if p, ok := f.(convex.Compound); ok {
		for _, q := range p.Parts() {
			if !representableIn(q, seen) {
				return false
			}
		}
	}
	if r, ok := f.(interface{ represented() bool }); ok && !r.represented() {
		return false
	}
	_, ok := f.(convex.Representer)
	return ok
}

// Linearised is a function f of es whose split is made when the expression is complete, by bounds
// of its second derivative; functions of it are such functions too. Without such bounds, CCP takes
// the tangent at the current point, as Newton's method does; the domain is tested at all points.
// Functions of es that are not smooth need the bounds: err refuses others.
func Linearised(f func(Parted) Written, err error, es ...Scalar) Scalar {
	var lists [][]int
	smooth := true
	for k := range es {
		smooth = smooth && es[k].Smooth()
		lists = append(lists, es[k].Support())
	}
	t := &StandIn{sign: -1, All: &Scalar{}, args: es, Indices: convex.Union(lists...)}
	for k := range es {
		p := es[k].SplitNow()
		t.All.Terms = append(append(t.All.Terms, p.G...), p.H...)
	}
	t.domain = sync.OnceValue(func() []convex.Representer { return distinct(t.All.Domain()) })
	t.of = f(Parted{Split{H: []Term{{1, t}}}, t.Indices})
	t.E = Scalar{Terms: []Term{{-1, t.of}}}
	p, ok := t.of.(interface{ Partial() bool })
	t.Whole = !(ok && p.Partial()) && t.All.Everywhere()
	e := Composite(t.of, OwnerOf(es...))
	if !smooth && !(e.IsDC() && e.Neg().IsDC()) {
		return Scalar{Err: err}
	}
	return e
}

// distinct are the functions, each once.
func distinct(list []convex.Representer) (out []convex.Representer) {
	var known Sharer
	for _, f := range list {
		if a, ok := f.(noder); ok {
			if k, fresh := known.find(f, a); k >= 0 && !fresh {
				continue
			}
		} else if slices.ContainsFunc(out, func(g convex.Representer) bool { return sameFunction(f, g) }) {
			continue
		}
		out = append(out, f)
	}
	return out
}

// SmoothPart is −s of a function h₁ − s that Linearised has made; nil of others.
func (e *Scalar) SmoothPart() convex.Func {
	for _, t := range e.Terms {
		if f, ok := t.F.(*StandIn); ok && f.Part && t.W == 1 {
			return f
		}
	}
	return nil
}
