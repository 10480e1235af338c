package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Huber is the sum over the entries of aₖ² where |aₖ| ≤ m and 2m|aₖ| − m² beyond.
//
//	arguments  a: an array of any shape; m > 0, finite
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      any with a split
//	refuses    m ≤ 0, infinite or NaN
//	form       quadratic and rows
//	source     Huber 1964; form: Mangasarian and Musicant 2000
func Huber(a Expr, m float64) Expr {
	return a.groups(func(a array) scalar { return huber(a, m) })
}

func huber(a array, m float64) scalar {
	if a.bent() && allAffine(a.fs) {
		a = array{Array: affineParts(a.fs)}
	}
	p := []float64{m}
	switch {
	case !(m > 0) || math.IsInf(m, 1):
		return badExpr("huber with threshold %g, want it positive and finite", m)
	case a.bent(), a.isConst():
		return applyEntries(atom.Huber, p, a)
	}
	near, far := pastKinks(a.Array, m)
	if near == nil {
		return far
	}
	e := convexOf(newVectorAtom(atom.Huber, p, *near), a.Of)
	e.lin = far.lin
	return e
}

// pastKinks is the sum of the affine functions 2m|aₖ| − m² of those entries that are
// beyond m wherever the variables are within their bounds, and the other entries, nil
// where there are none. The far ones are of the size of outliers, and have no kink.
func pastKinks(a convex.Array, m float64) (near *convex.Array, far scalar) {
	var rest, lins []convex.Linear
	var w []float64
	constant := 0.0
	for k := range a.C {
		i := a.Over(k)
		slip := convex.Apart * max(math.Abs(i.Lo), math.Abs(i.Hi))
		sign := 0.0
		if i.Lo > m+slip {
			sign = 1
		} else if i.Hi < -m-slip {
			sign = -1
		}
		if sign == 0 || math.IsNaN(slip) {
			rest = append(rest, a.Linear(k))
			continue
		}
		lins, w = append(lins, a.Linear(k)), append(w, 2*m*sign)
		constant -= m * m
	}
	if lins == nil {
		return &a, scalar{}
	}
	far = scalar{lin: convex.SumLinear(lins, w).AddScaled(1, convex.Linear{Const: constant}), of: a.Of}
	if rest == nil {
		return nil, far
	}
	part := convex.Entries(rest...)
	return &part, far
}
