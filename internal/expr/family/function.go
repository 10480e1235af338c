package family

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
)

// Nearby is a family in a box: the members that are affine there are one affine function, the
// others a family.
type Nearby struct {
	rest convex.Linear
	Some *Family // nil: no members
	of   *Family
}

func (f *Nearby) Support() []int { return f.of.Indices }

func (f *Nearby) Value(x []float64) float64 {
	v := f.rest.Value(x)
	if f.Some != nil {
		v += f.Some.Value(x)
	}
	return v
}

func (f *Nearby) AddSubgrad(dst []float64, scale float64, x []float64) { f.AddGradient(dst, scale, x) }

func (f *Nearby) AddGradient(dst []float64, scale float64, x []float64) float64 {
	f.rest.AddSubgrad(dst, scale, x)
	v := f.rest.Value(x)
	if f.Some != nil {
		v += f.Some.AddGradient(dst, scale, x)
	}
	return v
}

// worthwhile is the share of the members up to which the others are added up. Source: derived: that
// takes as long as two gradients, and some tens follow.
const worthwhile = 0.5

// Near is f for points that differ from x, of length n, by at most radius in each variable: a
// function whose gradients cost less there, as members of families that are affine in the box are
// added up. Package ccp finds it by assertion.
func (f Function) Near(x, radius []float64) convex.Func {
	e, some := f.E, false
	e.Terms = slices.Clone(e.Terms)
	for k, t := range e.Terms {
		if g := FamilyIn(t.F); g != nil && g.Plan.Piecewise() && g.Coefficients() >= LeastRecent*len(g.Indices) {
			if near := g.near(x, radius); near != nil {
				e.Terms[k].F, some = near, true
			}
		}
	}
	if !some {
		return f
	}
	return Function{e}
}

// near is f in a box; nil where it is not worthwhile.
func (f *Family) near(x, radius []float64) *Nearby {
	kinked, count := f.Plan.Kinked(x, radius)
	if float64(count) > worthwhile*float64(f.Plan.N) {
		return nil
	}
	list := make([]int32, 0, count)
	for i, k := range kinked {
		if k {
			list = append(list, int32(i))
		}
	}
	grad := make([]float64, len(x))
	value := f.Plan.AddGradient(grad, 1, f.w, x, kinked)
	out := &Nearby{rest: convex.Linear{Idx: f.Indices, Val: make([]float64, len(f.Indices)), Const: value, Of: f.of},
		of: f}
	for t, j := range f.Indices {
		out.rest.Val[t] = grad[j]
		out.rest.Const -= grad[j] * x[j]
	}
	if count > 0 {
		out.Some = f.take(list, 1)
	}
	return out
}

// Function is an expression as one function, see Of.
type Function struct{ E expr.Scalar }

// Of is an expression as one function, as it was written: its values and gradients, for code that
// takes a convex.Func, which it need not be. More that it can do is found by assertion.
func Of(e expr.Scalar) convex.Func { return Function{e} }

func (f Function) Value(x []float64) float64 { return f.E.Value(x) }
func (f Function) Support() []int            { return f.E.Support() }
func (f Function) Smooth() bool              { return f.E.Smooth() }

func (f Function) AddSubgrad(dst []float64, scale float64, x []float64) {
	f.E.AddGradient(dst, scale, x)
}

// Along returns values of the function of n variables where one of these changes at a
// time, an alongAxes.
func (f Function) Along(n int) any { return newAlongAxes(&f.E, n) }

// Coefficients is about how many coefficients a value visits.
func (f Function) Coefficients() int {
	n := len(f.E.Lin.Idx)
	for _, t := range f.E.Terms {
		switch g := t.F.(type) {
		case expr.Many:
			n += g.Coefficients()
		default:
			if r, ok := g.(*expr.VectorAtom); ok && r.A != nil {
				n += len(r.A.Idx)
			} else {
				n += len(t.F.Support())
			}
		}
	}
	return n
}
