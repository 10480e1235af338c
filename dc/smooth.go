package dc

import "slices"

// Linearised returns p with other splits: smooth functions of DC constraints and of
// nonlinear equations, which are two of them, have no convex part; of functions that are not smooth this
// holds for the smooth terms of the split. CCP then
// subtracts −f itself, and its tangent the linearisation of f, as Newton's method needs
// it. Values of expressions are as they were. equations tells whether p has such
// equations; ok is false where it has none, and another constraint that is not convex or
// an objective that is convex or not smooth.
func (p *Problem) Linearised() (q *Problem, equations, ok bool) {
	out := *p
	second, soft := false, false // the second half of an equation; there is a constraint that is not convex
	for k := range p.Constraints {
		c := &p.Constraints[k]
		second, soft = second || c.opens, soft || !c.Convex()
	}
	if soft && !second {
		return &out, false, false
	}
	out.Constraints, second = slices.Clone(p.Constraints), false
	for k := range out.Constraints {
		c := &out.Constraints[k]
		half := second || c.opens
		if c.members != nil {
			part(out.Constraints[k:])
		} else if c.DC {
			*c = stated(*c.Common)
		}
		if c.DC && !c.e.IsAffine() && (half || !c.e.IsConvex()) && p.linearise(&c.e) {
			equations = equations || half
		}
		second = c.opens
	}
	ok = equations
	if e := &out.Objective; !e.IsAffine() && (equations || e.smooth() && !soft && !e.IsConvex()) {
		ok = p.linearise(e) || equations
	}
	return &out, equations, ok
}

// linearise replaces the split g − h by g₁ − (h₁ − s), where s is the smooth functions of both and the others stay; that of a smooth e by
// 0 − (−e). It reports false where no function is smooth. The gradient of a smooth e is that of e as it is written:
// that of a split may be of another function with the same sign, see hyperbola. Definitions stand in the place of their variables.
func (p *Problem) linearise(e *Expr) bool {
	written := *e
	for _, d := range p.defined {
		if w, rest := written.lin.without(d.j); w != 0 {
			written.lin = rest
			written = sumExprs([]Expr{written, d.e.Scale(w)})
		}
	}
	s := written.newSplit()
	f, rest := &opposite{e: written, s: s}, split{}
	if !written.smooth() {
		f.s, rest = split{}, split{lin: s.lin, touches: s.touches}
		f.s.g, rest.g = bySmoothness(s.g)
		f.s.h, rest.h = bySmoothness(s.h)
		f.e = Expr{terms: append(slices.Clone(f.s.g), scaleTerms(f.s.h, -1)...), of: e.of}
	}
	if f.s.isAffine() {
		return false
	}
	f.all.terms = append(append(f.all.terms, f.s.g...), f.s.h...)
	lists := [][]int{f.s.lin.Idx}
	for _, t := range f.all.terms {
		lists = append(lists, t.f.Support())
	}
	f.indices = union(lists...)
	rest.h = append(rest.h, term{1, f})
	e.replaceSplit(rest)
	return true
}

func bySmoothness(terms []term) (is, others []term) {
	for _, t := range terms {
		if smooth(t.f) {
			is = append(is, t)
		} else {
			others = append(others, t)
		}
	}
	return is, others
}

// SmoothPart is −s of a function h₁ − s that Linearised has made; nil of others.
func (s *sum) SmoothPart() Convex {
	for _, t := range s.terms {
		if f, ok := t.f.(*opposite); ok && t.w == 1 {
			return f
		}
	}
	return nil
}

// opposite is −e where it stands for a convex function that is subtracted, which it
// need not be.
type opposite struct {
	e       Expr
	s       split
	all     sum // of what is in the split, for its domain
	indices []int
}

func (f *opposite) Value(x []float64) float64 { return -f.e.Value(x) }

func (f *opposite) Smooth() bool { return true }

func (f *opposite) Support() []int { return f.indices }

func (f *opposite) AddSubgrad(dst []float64, scale float64, x []float64) {
	f.e.AddGradient(dst, -scale, x)
}

func (f *opposite) Domain() []Representer   { return f.all.Domain() }
func (f *opposite) Inside(x []float64) bool { return f.all.Inside(x) }
func (f *opposite) parts() []Convex         { return f.all.parts() }
