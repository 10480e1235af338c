package rule

import (
	"errors"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// openEntropy is Entropy without a value at 0, as a logarithm that is written has none.
func openEntropy(u expr.Scalar) expr.Scalar {
	return expr.Apply(expr.PowerCurve("entr", 1).Neg(), u).Neg()
}

// Divergence is KL; open: without a value at u = 0, as a logarithm that is written has none.
func Divergence(u, v expr.Scalar, open bool) expr.Scalar {
	var p []float64
	if open {
		p = []float64{1}
	}
	return expr.ApplyEntries(atom.KL, p, expr.ListOf([]int{2}, []expr.Scalar{u, v}))
}

// logArgument is the affine u of f = −log u.
func logArgument(f convex.Func) (convex.Linear, bool) {
	c, ok := f.(*expr.CurveAtom)
	if !ok || c.Own != nil {
		return convex.Linear{}, false
	}
	return c.E().Lin, c.F.Neg().Is("log") && c.E().IsAffineNow()
}

// PowOf is aᵇ, see dc.Pow.
func PowOf(a, b expr.Scalar) expr.Scalar {
	switch err := errors.Join(a.Err, b.Err); {
	case err != nil:
		return expr.Scalar{Err: err}
	case b.IsConst():
		return PowerOf(a, b.Split().Lin.Const)
	}
	return ExpOf(TimesOf(b, LogOf(a)))
}
