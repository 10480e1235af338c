package expr

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// newSum is a convex sum as a function: the only one that it consists of, or an expression.
func newSum(lin convex.Linear, terms []Term) convex.Representer {
	if len(terms) == 0 {
		return lin
	}
	if f, ok := terms[0].F.(convex.Representer); ok && len(terms) == 1 && terms[0].W == 1 && lin.IsZero() {
		return f
	}
	return &Scalar{Lin: lin, Terms: terms}
}

func (e *Scalar) Node() Node { return Node{Name: "sum", Inputs: ExprArgs(*e)} }

func (e *Scalar) Represent(c convex.Canon) convex.Form {
	out := convex.Form{}
	lins, w := make([]convex.Linear, 0, len(e.Terms)+1), make([]float64, 0, len(e.Terms)+1)
	for _, t := range e.Terms {
		form := c.Form(t.F.(convex.Representer))
		lins, w = append(lins, form.Linear), append(w, t.W)
		for _, q := range form.Quad {
			q.Weight *= t.W
			out.Quad = append(out.Quad, q)
		}
		for _, l := range form.Least {
			l.Weight *= t.W
			out.Least = append(out.Least, l)
		}
	}
	out.Linear = convex.SumLinear(append(lins, e.Lin), append(w, 1))
	return out
}

func (e *Scalar) Parts() []convex.Func {
	out := make([]convex.Func, len(e.Terms))
	for k, t := range e.Terms {
		out[k] = t.F
	}
	return out
}

// Flat reports whether e is affine for given parameters, so that its tangent is e
// itself: the costs that AddCost added. Package ccp finds it by assertion.
func (e *Scalar) Flat() bool {
	for _, t := range e.Terms {
		if f, ok := t.F.(interface{ Flat() bool }); !ok || !f.Flat() {
			return false
		}
	}
	return true
}

// Of is a convex function as an expression.
func Of(f convex.Func) Scalar {
	switch f := f.(type) {
	case convex.Linear:
		return Scalar{Lin: f}
	case *Scalar:
		return *f
	}
	return Scalar{Terms: []Term{{1, f}}}
}

// oneSided is the convex function of an e whose terms have weights of one sign, or minus it.
func (e *Scalar) oneSided() (f convex.Representer, sign float64) {
	if len(e.Terms) > 0 && e.Terms[0].W < 0 {
		return newSum(e.Lin.Scale(-1), ScaleTerms(e.Terms, -1)), -1
	}
	return newSum(e.Lin, e.Terms), 1
}

// Parted is embedded by functions that are not convex by themselves. They are
// evaluated as they were written; CCP uses their split.
type Parted struct {
	S       Split
	Indices []int
}

// NewParted is s with the list of its variables.
func NewParted(s Split) Parted {
	lists := [][]int{s.Lin.Idx}
	for _, ts := range [2][]Term{s.G, s.H} {
		for _, t := range ts {
			lists = append(lists, t.F.Support())
		}
	}
	return Parted{s, convex.Union(lists...)}
}

func (p *Parted) Split() *Split  { return &p.S }
func (p *Parted) Support() []int { return p.Indices }

// OwnerOf is the space of several expressions.
func OwnerOf(es ...Scalar) *convex.Space {
	var of *convex.Space
	for k := range es {
		of = of.Join(es[k].Owner())
	}
	return of
}

// Pieces: the pieces of a single term, shifted by the affine part.
func (e *Scalar) Pieces() []convex.Linear {
	if len(e.Terms) == 0 {
		return []convex.Linear{e.Lin}
	}
	p, ok := e.Terms[0].F.(convex.Polyhedral)
	if !ok || len(e.Terms) > 1 {
		return nil
	}
	var out []convex.Linear
	for _, l := range p.Pieces() {
		out = append(out, e.Lin.AddScaled(e.Terms[0].W, l))
	}
	return out
}

// single says the same of the only function as e ≤ b, w times f ≤ w times the bound; squares are
// one function.
func (e *Scalar) single(b convex.Linear) (f convex.Func, w float64, bound convex.Linear) {
	b = b.AddScaled(-1, e.Lin)
	if q := e.squares(); q != nil {
		return q, 1, b
	}
	if len(e.Terms) != 1 {
		return nil, 0, b
	}
	w = e.Terms[0].W
	return e.Terms[0].F, w, b.Scale(1 / w)
}

// Line: of a single function.
func (e *Scalar) Line(b convex.Linear) (row convex.Linear, lo, hi, share float64, ok bool) {
	one, w, b := e.single(b)
	f, ok := one.(convex.Line)
	if !ok {
		return convex.Linear{}, 0, 0, 0, false
	}
	row, lo, hi, share, ok = f.Line(b)
	return row, lo, hi, share / w, ok
}

// Below: as Line.
func (e *Scalar) Below(b convex.Linear) (k convex.Cone, share []float64, ok bool) {
	one, w, b := e.single(b)
	f, ok := one.(convex.Sublevel)
	if !ok {
		return convex.Cone{}, nil, false
	}
	k, share, ok = f.Below(b)
	for i := range share {
		share[i] /= w
	}
	return k, share, ok
}

// squares is the sum without l where all terms are sums of squares, else nil.
func (e *Scalar) squares() *VectorAtom {
	parts := make([]convex.Array, len(e.Terms))
	for k, t := range e.Terms {
		a := RowAt(t.F, atom.SumSquares)
		if a == nil {
			return nil
		}
		parts[k] = a.Scale(math.Sqrt(t.W))
	}
	if len(parts) == 0 {
		return nil
	}
	return NewVectorAtom(atom.SumSquares, nil, convex.Stack(parts...))
}
