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

// Near is e for points that differ from x, of length n, by at most radius in each variable: a
// function whose gradients cost less there, as members of families that are affine in the box are
// added up.
func Near(e expr.Scalar, x, radius []float64) *expr.Scalar {
	e.Terms = slices.Clone(e.Terms)
	for k, t := range e.Terms {
		if g := FamilyIn(t.F); g != nil && g.Plan.Piecewise() && g.Coefficients() >= LeastRecent*len(g.Indices) {
			if near := g.near(x, radius); near != nil {
				e.Terms[k].F = near
			}
		}
	}
	return &e
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

// Coefficients is about how many coefficients a value of e visits.
func Coefficients(e expr.Scalar) int {
	n := len(e.Lin.Idx)
	for _, t := range e.Terms {
		n += visits(t.F)
	}
	return n
}

// SplitCoefficients is about how many coefficients values of the functions of the split visit.
func SplitCoefficients(e expr.Scalar) int {
	s := e.SplitNow()
	return Coefficients(expr.Scalar{Lin: s.Lin, Terms: slices.Concat(s.G, s.H)})
}

// functionVisits is how many coefficients take as long as a function of functions beside these.
// Source: 20 microseconds for the value of 40 logarithms of sums of two normal densities, of some
// 16 functions each.
const functionVisits = 3

// visits is about how many coefficients a value of f visits.
func visits(f convex.Func) int {
	switch f := f.(type) {
	case expr.Many:
		return f.Coefficients()
	case *expr.VectorAtom:
		if !f.Args.Bent() {
			return len(f.Args.Idx)
		}
		n := functionVisits
		for k := range f.Args.Fs {
			n += Coefficients(f.Args.Fs[k])
		}
		return n
	case *expr.CurveAtom:
		if !f.E().IsAffineNow() {
			return functionVisits + Coefficients(*f.E())
		}
	case *expr.Scalar:
		return Coefficients(*f)
	case convex.Compound:
		n := functionVisits
		for _, p := range f.Parts() {
			n += visits(p)
		}
		return n
	}
	return len(f.Support())
}
