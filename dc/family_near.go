package dc

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
)

// nearby is a family in a box: the members that are affine there are one affine function, the
// others a family.
type nearby struct {
	rest convex.Linear
	some *family // nil: there are none
	of   *family
}

func (f *nearby) Support() []int { return f.of.indices }

func (f *nearby) Value(x []float64) float64 {
	v := f.rest.Value(x)
	if f.some != nil {
		v += f.some.Value(x)
	}
	return v
}

func (f *nearby) AddSubgrad(dst []float64, scale float64, x []float64) { f.AddGradient(dst, scale, x) }

func (f *nearby) AddGradient(dst []float64, scale float64, x []float64) float64 {
	f.rest.AddSubgrad(dst, scale, x)
	v := f.rest.Value(x)
	if f.some != nil {
		v += f.some.AddGradient(dst, scale, x)
	}
	return v
}

// worthwhile is the share of the members up to which the others are added up. Source: derived: that
// takes as long as two gradients, and some tens follow.
const worthwhile = 0.5

// Near is f for points that differ from x, of length n, by at most radius in each variable: a
// function whose gradients cost less there, as members of families that are affine in the box are
// added up. Package ccp finds it by assertion.
func (f function) Near(x, radius []float64) convex.Func {
	e, some := f.e, false
	e.terms = slices.Clone(e.terms)
	for k, t := range e.terms {
		if g := familyIn(t.f); g != nil && g.plan.Piecewise() && g.coefficients() >= leastRecent*len(g.indices) {
			if near := g.near(x, radius); near != nil {
				e.terms[k].f, some = near, true
			}
		}
	}
	if !some {
		return f
	}
	return function{e}
}

// near is f in a box; nil where it is not worthwhile.
func (f *family) near(x, radius []float64) *nearby {
	kinked, count := f.plan.Kinked(x, radius)
	if float64(count) > worthwhile*float64(f.plan.N) {
		return nil
	}
	list := make([]int32, 0, count)
	for i, k := range kinked {
		if k {
			list = append(list, int32(i))
		}
	}
	grad := make([]float64, len(x))
	value := f.plan.AddGradient(grad, 1, f.w, x, kinked)
	out := &nearby{rest: convex.Linear{Idx: f.indices, Val: make([]float64, len(f.indices)), Const: value, Of: f.of},
		of: f}
	for t, j := range f.indices {
		out.rest.Val[t] = grad[j]
		out.rest.Const -= grad[j] * x[j]
	}
	if count > 0 {
		out.some = f.take(list, 1)
	}
	return out
}
