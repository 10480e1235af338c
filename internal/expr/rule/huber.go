package rule

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Huber is the sum of Huber functions of the entries, quadratic up to m.
func Huber(a expr.Array, m float64) expr.Scalar {
	if a.Bent() && expr.AllAffine(a.Fs) {
		a = expr.Array{Array: expr.AffineParts(a.Fs)}
	}
	p := []float64{m}
	switch {
	case !(m > 0) || math.IsInf(m, 1):
		return expr.Failed("huber with threshold %g, want it positive and finite", m)
	case a.Bent(), a.IsConst():
		return expr.ApplyEntries(atom.Huber, p, a)
	}
	near, far := pastKinks(a.Array, m)
	if near == nil {
		return far
	}
	e := expr.ConvexOf(expr.NewVectorAtom(atom.Huber, p, *near), a.Of)
	e.Lin = far.Lin
	return e
}

// pastKinks is the sum of the affine functions 2m|aₖ| − m² of those entries that are
// beyond m wherever the variables are within their bounds, and the other entries, nil
// where there are none. The far ones are of the size of outliers, and have no kink.
func pastKinks(a convex.Array, m float64) (near *convex.Array, far expr.Scalar) {
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
		return &a, expr.Scalar{}
	}
	far = expr.Scalar{Lin: convex.SumLinear(lins, w).AddScaled(1, convex.Linear{Const: constant}), Of: a.Of}
	if rest == nil {
		return nil, far
	}
	part := convex.Entries(rest...)
	return &part, far
}
