package dc

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
)

// Linearised returns p with other splits: smooth functions of DC constraints and of nonlinear
// equations, which are two of them, have no convex part; of functions that are not smooth this
// holds for the smooth terms of the split. CCP then subtracts −f itself, and its tangent the
// linearisation of f, as Newton's method needs it. Values of expressions are as they were.
// equations tells whether p has such equations; ok is false where it has none, and another
// constraint that is not convex or an objective that is convex or not smooth.
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
	out.setObjective(*p.objective())
	if e := out.objective(); !e.IsAffine() && (equations || e.smooth() && !soft && !e.IsConvex()) {
		ok = p.linearise(e) || equations
	}
	return &out, equations, ok
}

// linearise replaces the split g − h by g₁ − (h₁ − s), where s is the smooth functions of both and
// the others stay; that of a smooth e by 0 − (−e). It reports false where no function is smooth.
// The gradient of a smooth e is the gradient of e as it is written: the gradient of a split may be
// of another function with the same sign, see hyperbola. Definitions stand in the place of their
// variables.
func (p *Problem) linearise(e *scalar) bool {
	written := *e
	for _, d := range p.defined {
		if w, rest := without(written.lin, d.j); w != 0 {
			written.lin = rest
			written = sumExprs([]scalar{written, d.e.Scale(w)})
		}
	}
	s := written.newSplit()
	part, rest := s, split{}
	if !written.smooth() {
		part, rest = split{}, split{lin: s.lin, touches: s.touches}
		part.g, rest.g = bySmoothness(s.g)
		part.h, rest.h = bySmoothness(s.h)
		written = scalar{terms: append(slices.Clone(part.g), scaleTerms(part.h, -1)...), of: e.of}
	}
	if part.isAffine() {
		return false
	}
	all := &sum{terms: append(slices.Clone(part.g), part.h...)}
	f := &standIn{e: written.Neg(), part: true, all: all, everywhere: all.Everywhere()}
	f.indices = newParted(part).indices
	rest.h = append(rest.h, term{1, f})
	e.replaceSplit(rest)
	return true
}

func bySmoothness(terms []term) (is, others []term) {
	for _, t := range terms {
		if convex.IsSmooth(t.f) {
			is = append(is, t)
		} else {
			others = append(others, t)
		}
	}
	return is, others
}

// SmoothPart is −s of a function h₁ − s that Linearised has made; nil of others.
func (s *sum) SmoothPart() convex.Func {
	for _, t := range s.terms {
		if f, ok := t.f.(*standIn); ok && f.part && t.w == 1 {
			return f
		}
	}
	return nil
}
