package dc

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
)

// sum is an affine function plus weighted convex functions.
type sum struct {
	lin     convex.Linear
	terms   []term
	indices []int
}

// newSum returns the sum, or the one function it consists of.
func newSum(lin convex.Linear, terms []term) convex.Representer {
	if len(terms) == 0 {
		return lin
	}
	if f, ok := terms[0].f.(convex.Representer); ok && len(terms) == 1 && terms[0].w == 1 && lin.IsZero() {
		return f
	}
	lists := [][]int{lin.Idx}
	for _, t := range terms {
		lists = append(lists, t.f.Support())
	}
	return &sum{lin, terms, convex.Union(lists...)}
}

func (s *sum) Value(x []float64) float64 {
	v := s.lin.Value(x)
	for _, t := range s.terms {
		v += t.w * t.f.Value(x)
	}
	return v
}

func (s *sum) Approx(x []float64) convex.Approx {
	var v convex.Total
	v.Add(s.lin.Approx(x))
	for _, t := range s.terms {
		v.AddScaled(t.w, convex.Approximate(t.f, x))
	}
	return v.Approx
}

func (s *sum) AddSubgrad(dst []float64, scale float64, x []float64) {
	s.lin.AddSubgrad(dst, scale, x)
	for _, t := range s.terms {
		t.f.AddSubgrad(dst, scale*t.w, x)
	}
}

func (s *sum) Smooth() bool {
	return !slices.ContainsFunc(s.terms, func(t term) bool { return !convex.IsSmooth(t.f) })
}

func (s *sum) Support() []int { return s.indices }

func (s *sum) Represent(c convex.Canon) convex.Form {
	out := convex.Form{}
	lins, w := make([]convex.Linear, 0, len(s.terms)+1), make([]float64, 0, len(s.terms)+1)
	for _, t := range s.terms {
		form := c.Form(t.f.(convex.Representer))
		lins, w = append(lins, form.Linear), append(w, t.w)
		for _, q := range form.Quad {
			q.Weight *= t.w
			out.Quad = append(out.Quad, q)
		}
		for _, l := range form.Least {
			l.Weight *= t.w
			out.Least = append(out.Least, l)
		}
	}
	out.Linear = convex.SumLinear(append(lins, s.lin), append(w, 1))
	return out
}

func (s *sum) Domain() []convex.Representer { return (&scalar{terms: s.terms}).domain() }

func (s *sum) Inside(x []float64) bool { return (&scalar{terms: s.terms}).inside(x) }

func (s *sum) Everywhere() bool { return (&scalar{terms: s.terms}).everywhere() }

func (s *sum) Over() interval.Interval { return termsOver(s.lin, s.terms) }

func (s *sum) Bends() (convex.Bends, bool) {
	return bendsOf(&scalar{lin: s.lin, terms: s.terms, of: s.lin.Of})
}

func (s *sum) Parts() []convex.Func {
	out := make([]convex.Func, len(s.terms))
	for k, t := range s.terms {
		out[k] = t.f
	}
	return out
}

// Flat reports whether s is affine for given parameters, so that its tangent is s
// itself: the costs that AddCost added. Package ccp finds it by assertion.
func (s *sum) Flat() bool {
	for _, t := range s.terms {
		if f, ok := t.f.(interface{ Flat() bool }); !ok || !f.Flat() {
			return false
		}
	}
	return true
}

// exprOf is a convex function as an expression.
func exprOf(f convex.Func) scalar {
	switch f := f.(type) {
	case convex.Linear:
		return scalar{lin: f}
	case *sum:
		return scalar{lin: f.lin, terms: f.terms}
	}
	return scalar{terms: []term{{1, f}}}
}

// oneSided is the convex function of an e whose terms have weights of one sign, or minus it.
func (e *scalar) oneSided() (f convex.Representer, sign float64) {
	if len(e.terms) > 0 && e.terms[0].w < 0 {
		return newSum(e.lin.Scale(-1), scaleTerms(e.terms, -1)), -1
	}
	return newSum(e.lin, e.terms), 1
}

// parted is embedded by functions that are not convex by themselves. They are
// evaluated as they were written; CCP uses their split.
type parted struct {
	s       split
	indices []int
}

func newParted(s split) parted {
	lists := [][]int{s.lin.Idx}
	for _, ts := range [2][]term{s.g, s.h} {
		for _, t := range ts {
			lists = append(lists, t.f.Support())
		}
	}
	return parted{s, convex.Union(lists...)}
}

func (p *parted) split() *split  { return &p.s }
func (p *parted) Support() []int { return p.indices }

// ownerOf is the space of several expressions.
func ownerOf(es ...scalar) *convex.Space {
	var of *convex.Space
	for k := range es {
		of = of.Join(es[k].owner())
	}
	return of
}

func (e scalar) isAffineAsWritten() bool { return e.isAffineNow() }
