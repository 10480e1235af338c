package dc

import "slices"

// Linearised returns p with other splits: smooth functions of DC constraints and of
// nonlinear equations, which are two of them, have no convex part. What CCP subtracts
// is then −f itself, and its tangent the linearisation of f, as Newton's method needs
// it. Values of expressions are as they were. equations tells whether p has such
// equations; ok is false where it has none, and another constraint that is not convex or
// an objective that is convex or not smooth.
func (p *Problem) Linearised() (q *Problem, equations, ok bool) {
	out := *p
	out.Constraints = slices.Clone(p.Constraints)
	second, soft := false, false // the second half of an equation; there is a constraint that is not convex
	for k := range out.Constraints {
		c := &out.Constraints[k]
		half := second || c.opens
		soft = soft || !c.Convex()
		if c.DC && !c.E.IsAffine() && (half || !c.E.IsConvex()) && c.E.smooth() {
			c.E.linearise()
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
func (f *opposite) Support() []int            { return f.indices }

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

// smooth reports whether e has a gradient wherever its subgradients exist, norms at
// 0 aside.
func (e *Expr) smooth() bool {
	return !slices.ContainsFunc(e.terms, func(t term) bool { return !smooth(t.f) })
}

// IsSmooth reports whether f has a gradient wherever it has subgradients, norms at 0
// aside; false where that is not known.
func IsSmooth(f Convex) bool { return smooth(f) }

// smooth lists the smooth functions; others count as not smooth.
func smooth(f Convex) bool {
	switch f := f.(type) {
	case Linear, *inner, *sumSquares, *quad, *norm2, *normP, *quadForm, *huber, *kl, *quadOverLin, *logSumExp, *negGeoMean,
		*negWeighted, *negLogDet, *matFrac:
		return true
	case *opposite:
		return true
	case *product:
		return f.a.smooth() && f.b.smooth()
	case *squared:
		return f.e.smooth()
	case *squareOf:
		return smooth(f.f)
	case *composition:
		return f.e.smooth()
	case *applied:
		return smooth(f.c.outer) && !slices.ContainsFunc(f.items, func(e Expr) bool { return !e.smooth() })
	case *liftedArray:
		return smooth(f.outer) && !slices.ContainsFunc(f.parts(), func(p Convex) bool { return !smooth(p) })
	case *along:
		return smooth(f.arg)
	case *composed:
		return smooth(f.outer) && !slices.ContainsFunc(f.args, func(a Representer) bool { return !smooth(a) })
	case *family:
		return !slices.ContainsFunc(f.steps, func(s step) bool { return s.op == "abs" || s.op == "norm1" || s.op == "max" })
	case *sum:
		return !slices.ContainsFunc(f.terms, func(t term) bool { return !smooth(t.f) })
	}
	return false
}
