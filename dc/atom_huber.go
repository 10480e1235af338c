package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Huber is the sum over the entries of aₖ² where |aₖ| ≤ m and 2m|aₖ| − m² beyond.
//
//	arguments  a: an array of any shape; m > 0, finite
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      affine
//	refuses    m ≤ 0, infinite or NaN
//	form       quadratic and rows
//	source     Huber 1964; form: Mangasarian and Musicant 2000
func Huber(a Affine, m float64) Expr {
	if err := a.Err(); err != nil {
		return Expr{err: err}
	}
	if err := checkThreshold(m); err != nil {
		return Expr{err: err}
	}
	if a.IsConst() {
		return reduce(atom.Huber, []float64{m}, a)
	}
	near, far := pastKinks(a, m)
	if near == nil {
		return far
	}
	e := convex(newVectorAtom(atom.Huber, []float64{m}, *near), a.of)
	e.lin = far.lin
	return e
}

func checkThreshold(m float64) error {
	if !(m > 0) || math.IsInf(m, 1) {
		return badExpr("huber with threshold %g, want it positive and finite", m).err
	}
	return nil
}

// pastKinks is the sum of the affine functions 2m|aₖ| − m² of those entries that are
// beyond m wherever the variables are within their bounds, and the other entries, nil
// where there are none. The far ones are of the size of outliers, and have no kink.
func pastKinks(a Affine, m float64) (near *Affine, far Expr) {
	var rest, lins []Linear
	var w []float64
	constant := 0.0
	for k := range a.c {
		i := a.over(k)
		slip := apart * max(math.Abs(i.Lo), math.Abs(i.Hi))
		sign := 0.0
		if i.Lo > m+slip {
			sign = 1
		} else if i.Hi < -m-slip {
			sign = -1
		}
		if sign == 0 || math.IsNaN(slip) {
			rest = append(rest, a.Entry(k))
			continue
		}
		lins, w = append(lins, a.Entry(k)), append(w, 2*m*sign)
		constant -= m * m
	}
	if lins == nil {
		return &a, Expr{}
	}
	far = Expr{lin: sumLinear(lins, w).AddScaled(1, Linear{Const: constant}), of: a.of}
	if rest == nil {
		return nil, far
	}
	part := Entries(rest...)
	return &part, far
}

// HuberOf is Huber of a slice of scalars.
//
//	as         Huber
//	takes      any with a split
//	refuses    m ≤ 0, infinite or NaN
func HuberOf[T Operand](us []T, m float64) Expr {
	if err := checkThreshold(m); err != nil {
		return Expr{err: err}
	}
	es := exprs(us)
	if allAffine(es) {
		_, lins := toExprs(es)
		return Huber(Entries(lins...), m)
	}
	return reduceAny(atom.Huber, []float64{m}, es)
}
