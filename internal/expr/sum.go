package expr

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// Sum is an affine function plus weighted convex functions.
type Sum struct {
	Lin     convex.Linear
	Terms   []Term
	indices []int
}

// newSum returns the sum, or the one function it consists of.
func newSum(lin convex.Linear, terms []Term) convex.Representer {
	if len(terms) == 0 {
		return lin
	}
	if f, ok := terms[0].F.(convex.Representer); ok && len(terms) == 1 && terms[0].W == 1 && lin.IsZero() {
		return f
	}
	lists := [][]int{lin.Idx}
	for _, t := range terms {
		lists = append(lists, t.F.Support())
	}
	return &Sum{lin, terms, convex.Union(lists...)}
}

func (s *Sum) Value(x []float64) float64 {
	v := s.Lin.Value(x)
	for _, t := range s.Terms {
		v += t.W * t.F.Value(x)
	}
	return v
}

func (s *Sum) Approx(x []float64) convex.Approx {
	var v convex.Total
	v.Add(s.Lin.Approx(x))
	for _, t := range s.Terms {
		v.AddScaled(t.W, convex.Approximate(t.F, x))
	}
	return v.Approx
}

func (s *Sum) AddSubgrad(dst []float64, scale float64, x []float64) {
	s.Lin.AddSubgrad(dst, scale, x)
	for _, t := range s.Terms {
		t.F.AddSubgrad(dst, scale*t.W, x)
	}
}

func (s *Sum) Smooth() bool {
	return !slices.ContainsFunc(s.Terms, func(t Term) bool { return !convex.IsSmooth(t.F) })
}

func (s *Sum) Support() []int { return s.indices }

func (s *Sum) Represent(c convex.Canon) convex.Form {
	out := convex.Form{}
	lins, w := make([]convex.Linear, 0, len(s.Terms)+1), make([]float64, 0, len(s.Terms)+1)
	for _, t := range s.Terms {
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
	out.Linear = convex.SumLinear(append(lins, s.Lin), append(w, 1))
	return out
}

func (s *Sum) Domain() []convex.Representer { return (&Scalar{Terms: s.Terms}).domain() }

func (s *Sum) Inside(x []float64) bool { return (&Scalar{Terms: s.Terms}).inside(x) }

func (s *Sum) Everywhere() bool { return (&Scalar{Terms: s.Terms}).everywhere() }

func (s *Sum) Over() interval.Interval { return termsOver(s.Lin, s.Terms) }

func (s *Sum) Bends() (convex.Bends, bool) {
	return BendsOf(&Scalar{Lin: s.Lin, Terms: s.Terms, Of: s.Lin.Of})
}

func (s *Sum) Parts() []convex.Func {
	out := make([]convex.Func, len(s.Terms))
	for k, t := range s.Terms {
		out[k] = t.F
	}
	return out
}

// Flat reports whether s is affine for given parameters, so that its tangent is s
// itself: the costs that AddCost added. Package ccp finds it by assertion.
func (s *Sum) Flat() bool {
	for _, t := range s.Terms {
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
		return Scalar{Lin: f.Lin, Terms: f.Terms}
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
	if len(s.Terms) == 0 {
		return []convex.Linear{s.Lin}
	}
	p, ok := s.Terms[0].F.(convex.Polyhedral)
	if !ok || len(s.Terms) > 1 {
		return nil
	}
	var out []convex.Linear
	for _, l := range p.Pieces() {
		out = append(out, s.Lin.AddScaled(s.Terms[0].W, l))
	}
	return out
}

// Line: with a single term, the row of f ≤ (b − l)/w; squares are one term.
func (s *Sum) Line(b convex.Linear) (row convex.Linear, lo, hi, share float64, ok bool) {
	if q := s.squares(); q != nil {
		return q.Line(b.AddScaled(-1, s.Lin))
	}
	if len(s.Terms) != 1 {
		return convex.Linear{}, 0, 0, 0, false
	}
	f, ok := s.Terms[0].F.(convex.Line)
	if !ok {
		return convex.Linear{}, 0, 0, 0, false
	}
	w := s.Terms[0].W
	row, lo, hi, share, ok = f.Line(b.AddScaled(-1, s.Lin).Scale(1 / w))
	return row, lo, hi, share / w, ok
}

// Below: as Line.
func (s *Sum) Below(b convex.Linear) (k convex.Cone, share []float64, ok bool) {
	if q := s.squares(); q != nil {
		return q.Below(b.AddScaled(-1, s.Lin))
	}
	if len(s.Terms) != 1 {
		return convex.Cone{}, nil, false
	}
	f, ok := s.Terms[0].F.(convex.Sublevel)
	if !ok {
		return convex.Cone{}, nil, false
	}
	w := s.Terms[0].W
	k, share, ok = f.Below(b.AddScaled(-1, s.Lin).Scale(1 / w))
	for i := range share {
		share[i] /= w
	}
	return k, share, ok
}

// squares is the sum without l where all terms are sums of squares, else nil.
func (s *Sum) squares() *VectorAtom {
	parts := make([]convex.Array, len(s.Terms))
	for k, t := range s.Terms {
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

func (s *Sum) Node() Node {
	return Node{Name: "sum", Inputs: ExprArgs(Scalar{Lin: s.Lin, Terms: s.Terms})}
}
