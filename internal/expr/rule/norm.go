package rule

import (
	"math"

	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// NormP is the norm of order p.
func NormP(a expr.Array, p float64) expr.Scalar {
	switch {
	case !(p >= 1):
		return expr.Failed("the norm of order %g; want at least 1", p)
	case p == 1:
		return SumOfEach(atom.Norm1, a)
	case p == 2:
		return expr.ApplyEntries(atom.Norm2, nil, a)
	case math.IsInf(p, 1):
		return NormInf(a)
	}
	return expr.ApplyEntries(atom.NormP, []float64{p}, a)
}

// WeightedGeoMean is the geometric mean of the entries with weights w.
func WeightedGeoMean(a expr.Array, w []float64) expr.Scalar {
	powers, used, err := shares(a.Len(), w)
	if err != nil {
		return expr.Scalar{Err: err}
	}
	return expr.ApplyEntries(atom.WeightedGeoMean, powers, a.Take(used))
}

// shares are the positive weights, to the sum 1, and their places.
func shares(n int, w []float64) (powers []float64, used []int, err error) {
	if len(w) != n {
		return nil, nil, expr.Failed("a weighted mean of %d entries with %d weights", n, len(w)).Err
	}
	total := 0.0
	for k, v := range w {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, nil, expr.Failed("a weighted mean with the weight %g; want numbers >= 0", v).Err
		}
		if v > 0 {
			total, used = total+v, append(used, k)
		}
	}
	if !(total > 0) || math.IsInf(total, 1) {
		return nil, nil, expr.Failed("a weighted mean with weights of sum %g", total).Err
	}
	for _, k := range used {
		powers = append(powers, w[k]/total)
	}
	return powers, used, nil
}
