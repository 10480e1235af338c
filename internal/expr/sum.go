package expr

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// Sum is an expression as one function: in splits an affine function plus weighted convex ones.
type Sum struct {
	E       Scalar
	indices []int
}

// AsSum is any expression as one function, for its values and gradients: it need not be convex.
func AsSum(e Scalar) *Sum { return &Sum{E: e} }

// newSum returns the sum, or the one function it consists of.
func newSum(lin convex.Linear, terms []Term) convex.Representer {
	if len(terms) == 0 {
		return lin
	}
	if f, ok := terms[0].F.(convex.Representer); ok && len(terms) == 1 && terms[0].W == 1 && lin.IsZero() {
		return f
	}
	e := Scalar{Lin: lin, Terms: terms}
	return &Sum{e, e.Support()}
}

func (s *Sum) Value(x []float64) float64                            { return s.E.Value(x) }
func (s *Sum) Approx(x []float64) convex.Approx                     { return s.E.Approx(x) }
func (s *Sum) AddSubgrad(dst []float64, scale float64, x []float64) { s.E.AddSubgrad(dst, scale, x) }
func (s *Sum) Smooth() bool                                         { return s.E.Smooth() }
func (s *Sum) Domain() []convex.Representer                         { return s.E.domain() }
func (s *Sum) Inside(x []float64) bool                              { return s.E.inside(x) }
func (s *Sum) Everywhere() bool                                     { return s.E.everywhere() }
func (s *Sum) Over() interval.Interval                              { return s.E.Range() }
func (s *Sum) Bends() (convex.Bends, bool)                          { return BendsOf(&s.E) }
func (s *Sum) Twice() bool                                          { return s.E.Twice() }
func (s *Sum) Directional(x, v []float64) float64                   { return s.E.Directional(x, v) }
func (s *Sum) AddProduct(dst []float64, scale float64, x, v []float64) {
	s.E.AddProduct(dst, scale, x, v)
}
func (s *Sum) Node() Node { return Node{Name: "sum", Inputs: ExprArgs(s.E)} }

// Support is computed again and again where the expression is any.
func (s *Sum) Support() []int {
	if s.indices == nil {
		return s.E.Support()
	}
	return s.indices
}

func (s *Sum) Represent(c convex.Canon) convex.Form {
	out := convex.Form{}
	lins, w := make([]convex.Linear, 0, len(s.E.Terms)+1), make([]float64, 0, len(s.E.Terms)+1)
	for _, t := range s.E.Terms {
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
	out.Linear = convex.SumLinear(append(lins, s.E.Lin), append(w, 1))
	return out
}

func (s *Sum) Parts() []convex.Func {
	out := make([]convex.Func, len(s.E.Terms))
	for k, t := range s.E.Terms {
		out[k] = t.F
	}
	return out
}

// Flat reports whether s is affine for given parameters, so that its tangent is s
// itself: the costs that AddCost added. Package ccp finds it by assertion.
func (s *Sum) Flat() bool {
	for _, t := range s.E.Terms {
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
	case *Sum:
		return f.E
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
func (s *Sum) Pieces() []convex.Linear {
	if len(s.E.Terms) == 0 {
		return []convex.Linear{s.E.Lin}
	}
	p, ok := s.E.Terms[0].F.(convex.Polyhedral)
	if !ok || len(s.E.Terms) > 1 {
		return nil
	}
	var out []convex.Linear
	for _, l := range p.Pieces() {
		out = append(out, s.E.Lin.AddScaled(s.E.Terms[0].W, l))
	}
	return out
}

// single says the same of the only function as s ≤ b, w times f ≤ w times the bound; squares are
// one function.
func (s *Sum) single(b convex.Linear) (f convex.Func, w float64, bound convex.Linear) {
	b = b.AddScaled(-1, s.E.Lin)
	if q := s.squares(); q != nil {
		return q, 1, b
	}
	if len(s.E.Terms) != 1 {
		return nil, 0, b
	}
	w = s.E.Terms[0].W
	return s.E.Terms[0].F, w, b.Scale(1 / w)
}

// Line: of a single function.
func (s *Sum) Line(b convex.Linear) (row convex.Linear, lo, hi, share float64, ok bool) {
	one, w, b := s.single(b)
	f, ok := one.(convex.Line)
	if !ok {
		return convex.Linear{}, 0, 0, 0, false
	}
	row, lo, hi, share, ok = f.Line(b)
	return row, lo, hi, share / w, ok
}

// Below: as Line.
func (s *Sum) Below(b convex.Linear) (k convex.Cone, share []float64, ok bool) {
	one, w, b := s.single(b)
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
func (s *Sum) squares() *VectorAtom {
	parts := make([]convex.Array, len(s.E.Terms))
	for k, t := range s.E.Terms {
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
