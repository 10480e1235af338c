package dc

import "slices"

// Linearised returns p with other splits: smooth functions of DC constraints and of
// nonlinear equations, which are two of them, have no convex part. CCP then
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
		if c.DC && !c.e.IsAffine() && (half || !c.e.IsConvex()) && c.e.smooth() {
			c.e.linearise()
			equations = equations || half
		}
		second = c.opens
	}
	ok = equations
	if e := &out.Objective; e.smooth() && !e.IsAffine() && (equations || !soft && !e.IsConvex()) {
		ok = true
		e.linearise()
	}
	return &out, equations, ok
}

// linearise replaces the split by 0 − (−e). The gradient is that of e as it is written:
// that of a split may be of another function with the same sign, see hyperbola.
func (e *Expr) linearise() {
	s := e.newSplit()
	f := &opposite{e: *e, s: s}
	f.all.terms = append(append(f.all.terms, s.g...), s.h...)
	lists := [][]int{s.lin.Idx}
	for _, t := range f.all.terms {
		lists = append(lists, t.f.Support())
	}
	f.indices = union(lists...)
	e.replaceSplit(split{h: []term{{1, f}}})
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
	f.s.lin.AddSubgrad(dst, -scale, x)
	for _, t := range f.s.g {
		t.f.AddSubgrad(dst, -scale*t.w, x)
	}
	for _, t := range f.s.h {
		t.f.AddSubgrad(dst, scale*t.w, x)
	}
}

func (f *opposite) Domain() []Representer   { return f.all.Domain() }
func (f *opposite) Inside(x []float64) bool { return f.all.Inside(x) }
func (f *opposite) parts() []Convex         { return f.all.parts() }
