package rule

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"gonum.org/v1/gonum/mat"
)

// PowerOf is uᵖ, see dc.Power.
func PowerOf(u expr.Scalar, p float64) expr.Scalar {
	// an exponent that is rounded would be another function
	if v, q, ok := u.AsPower(); ok && p > 0 && !math.IsInf(p, 1) && math.FMA(p, q, -p*q) == 0 {
		return PowerOf(v, p*q).Scale(math.Pow(u.Terms[0].W, p))
	}
	integer := p == math.Trunc(p)
	switch {
	case u.Err != nil:
		return u
	case math.IsNaN(p) || math.IsInf(p, 0):
		return expr.Failed("power %g", p)
	case p == 0:
		return expr.Number(1)
	case p == 1:
		return u
	case p == 2:
		return SquareOf(u)
	case p == 4 && u.IsAffine():
		return SquareOf(SquareOf(u))
	case p < 0:
		return expr.Apply(expr.PowerCurve("power", p), u)
	case p < 1:
		return rootOf(u, p)
	}
	s := u.Split()
	neg := s.Scale(-1)
	switch {
	case s.Nonnegative():
		return expr.Apply(expr.PowerCurve("pos_power", p), u)
	case integer && neg.Nonnegative():
		return PowerOf(u.Neg(), p).Scale(math.Pow(-1, p))
	case !integer:
		return expr.Apply(expr.PowerCurve("power", p), u)
	case u.IsAffine() && math.Mod(p, 2) == 0:
		return expr.Apply(expr.PowerCurve("pos_power", p), expr.AbsOf(u))
	case u.IsAffine():
		return expr.Apply(expr.PowerCurve("pos_power", p), u).Sub(expr.Apply(expr.PowerCurve("pos_power", p), u.Neg()))
	case math.Mod(p, 2) == 0:
		return SquareOf(PowerOf(u, p/2))
	}
	return TimesOf(u, SquareOf(PowerOf(u, (p-1)/2)))
}

// rootOf is uᵖ, 0 < p < 1. The square root of a sum of squares is a norm, the root of a product of
// affine functions without a negative value their geometric mean.
func rootOf(u expr.Scalar, p float64) expr.Scalar {
	if len(u.Terms) == 1 && u.Lin.IsZero() && u.Terms[0].W > 0 && p == 0.5 {
		positive := func(e expr.Scalar) bool { return e.IsAffine() && e.Over().Lo >= 0 }
		if a, b, ok := twoFactors(u.Terms[0].F); ok && positive(a) && positive(b) {
			return expr.ApplyEntries(atom.GeoMean, nil, expr.ListOf([]int{2}, []expr.Scalar{a,
				b})).Scale(math.Sqrt(u.Terms[0].W))
		}
	}
	if s := u.Split(); p == 0.5 && s.IsConvex() && s.Lin.IsConst() && s.Lin.Const >= 0 {
		if a, ok := squaredEntries(s); ok {
			return expr.Reduce(atom.Norm2, nil, a)
		}
	}
	return expr.Apply(expr.PowerCurve("power", p).Neg(), u).Neg()
}

// squaredEntries are affine functions whose squares sum to a convex split.
func squaredEntries(s *expr.Split) (convex.Array, bool) {
	rows := []convex.Linear{{Const: math.Sqrt(s.Lin.Const)}}
	for _, t := range s.G {
		a, ok := roots(t.F)
		if !ok {
			return convex.Array{}, false
		}
		for k := range a.C {
			rows = append(rows, a.Linear(k).Scale(math.Sqrt(t.W)))
		}
	}
	if rows[0].IsZero() {
		rows = rows[1:]
	}
	return convex.Entries(rows...), true
}

// roots are affine functions whose squares sum to f.
func roots(f convex.Func) (convex.Array, bool) {
	if a := expr.RowAt(f, atom.SumSquares); a != nil {
		return *a, true
	}
	a := expr.RowAt(f, semidefinite)
	if a == nil {
		return convex.Array{}, false
	}
	n := a.Len()
	r, ok, _ := dense.Root(context.Background(), mat.NewSymDense(n, f.(*expr.VectorAtom).P), 0)
	if !ok {
		return convex.Array{}, false
	}
	rows, _ := r.Dims()
	return a.LeftMul(r, 1, []int{rows}), true
}
