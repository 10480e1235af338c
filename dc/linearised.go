package dc

import (
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/num"
)

// standIn is an expression that stands for a convex function which is subtracted, which it need not
// be: it has values and subgradients alone.
type standIn struct {
	e          scalar
	of         written // of sign·of, a function without a split: it is linearised; nil: of others
	sign       float64
	part       bool // Linearised has made it
	all        *sum // of the functions in the splits of the arguments: they have the domain
	everywhere bool // these have subgradients at all points, and e has a value
	indices    []int
}

func (f *standIn) Value(x []float64) float64 { return f.e.value(x) }
func (f *standIn) AddSubgrad(dst []float64, scale float64, x []float64) {
	f.e.addSubgrad(dst, scale, x)
}
func (f *standIn) Support() []int                   { return f.indices }
func (f *standIn) Smooth() bool                     { return f.e.smooth() }
func (f *standIn) Approx(x []float64) convex.Approx { return f.e.Approx(x) }
func (f *standIn) Domain() []convex.Representer     { return f.all.Domain() }
func (f *standIn) Everywhere() bool                 { return f.everywhere }

func (f *standIn) Inside(x []float64) bool {
	return f.everywhere || num.Finite(f.e.value(x)) && f.all.Inside(x)
}

// node: those that are not linearised are no one else's.
func (f *standIn) node() Node {
	if f.of == nil {
		return Node{op: "minus", key: f}
	}
	return Node{op: "tangent", num: f.sign, args: exprArgs(scalar{terms: []term{{1, f.of}}})}
}

func (f *standIn) String() string {
	if f.of == nil {
		return fmt.Sprint(f.e.terms[len(f.e.terms)-1].f)
	}
	return fmt.Sprintf("a function of a %v without a split", f.of)
}

// Parts of a function that is linearised.
func (f *standIn) Parts() []convex.Func {
	if f.of == nil {
		return nil
	}
	return f.all.Parts()
}

// turned is −f.
func (f *standIn) turned() *standIn {
	t := *f
	t.e, t.sign = f.e.Neg(), -f.sign
	return &t
}

func (f *standIn) isLinearised() bool { return f.of != nil }

// withTangents reports whether functions are among e that are linearised: then a smooth function of
// e is.
func (e *scalar) withTangents() bool {
	s := e.splitNow()
	return someLinearised(s.g) || someLinearised(s.h)
}

// tangentIn reports whether f is made of functions that are linearised.
func tangentIn(f convex.Func) bool {
	if p, ok := f.(convex.Compound); ok && slices.ContainsFunc(p.Parts(), tangentIn) {
		return true
	}
	return (term{f: f}).linearised()
}

// moveTangents gives the functions that are linearised a split, by bounds of their second
// derivatives. Functions without such bounds are brought into h.
func (e *scalar) moveTangents() {
	s := e.splitNow()
	if !someLinearised(s.g) && !someLinearised(s.h) {
		return
	}
	rest, parts, weights := split{lin: s.lin}, []split{{}}, []float64{1}
	var left []term
	for side, terms := range [2][]term{s.g, s.h} {
		for _, t := range terms {
			f, ok := t.f.(*standIn)
			ok = ok && f.of != nil
			switch {
			case !ok && side == 0:
				rest.g = append(rest.g, t)
				continue
			case !ok:
				rest.h = append(rest.h, t)
				continue
			case side == 0:
				f = f.turned()
			}
			if by, ok := f.bounded(); ok {
				parts, weights = append(parts, by), append(weights, t.w)
			} else {
				left = append(left, term{t.w, f})
			}
		}
	}
	parts[0] = rest
	out := addSplits(parts, weights...)
	out.h, out.touches = append(out.h, left...), out.touches || s.touches
	e.replaceSplit(out)
}

// bounded is the split of −t, where the second derivative of t has bounds: q − (q + t) for squares
// q that bend at least as much.
func (t *standIn) bounded() (split, bool) {
	if c, ok := t.of.(interface {
		splitBy(sign float64) (split, bool)
	}); ok {
		if s, ok := c.splitBy(-t.sign); ok {
			return s, true
		}
	}
	b, ok := bendsOfFunction(t.of)
	if !ok {
		return split{}, false
	}
	list := b.Up
	if t.sign > 0 { // it stands for −t
		list = b.Down
	}
	rows := make([]convex.Linear, 0, len(list))
	for _, s := range list {
		if !num.Finite(s.W) {
			return split{}, false
		}
		if s.W > 0 {
			rows = append(rows, centred(s.A).Scale(math.Sqrt(s.W/2)))
		}
	}
	var q []term
	bent := &standIn{e: t.e, all: t.all, everywhere: t.everywhere, indices: t.indices}
	if len(rows) > 0 {
		q = []term{{1, newVectorAtom(atom.SumSquares, nil, convex.Entries(rows...))}}
		bent.e = scalar{terms: append(slices.Clip(q), t.e.terms...)}
		bent.indices = convex.Union(t.indices, q[0].f.Support())
	}
	return split{g: q, h: []term{{1, bent}}}, true
}

// centred is l less the middle of its range: its square is as small as it can be.
func centred(l convex.Linear) convex.Linear {
	i := l.Over()
	if !i.IsFinite() {
		return l
	}
	return l.AddScaled(-1, convex.Linear{Const: i.Lo/2 + i.Hi/2})
}

// made is the expression of a function f of es with split s. It is s itself
// where that is a convex function and says as much as f.
func made(f func(parted) written, s split, es ...scalar) scalar {
	simple := s.isAffine() || s.isConvex() && len(s.g) == 1 && s.g[0].w == 1 && s.lin.IsZero()
	if len(s.g) == 1 {
		_, lifted := s.g[0].f.(interface{ onlyInSplits() })
		simple = simple && !lifted
	}
	for k := range es {
		simple = simple && !es[k].composite && es[k].IsConvex()
	}
	of := ownerOf(es...)
	if simple {
		return scalar{lin: s.lin, terms: s.g, of: of}
	}
	return node(f(newParted(s)), of)
}
