package rule

import (
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// ApplyRow is a row of the entries of an array, as it is made for users.
func ApplyRow(row *atom.Reduce, p []float64, a expr.Array) expr.Scalar {
	switch row {
	case atom.Norm1, atom.SumSquares:
		return SumOfEach(row, a)
	case atom.Max:
		return MaxExprs(a.Scalars())
	case atom.Min:
		return MinExprs(a.Scalars())
	case atom.NormP:
		return NormP(a, p[0])
	case atom.Huber:
		return Huber(a, p[0])
	case atom.WeightedGeoMean:
		return WeightedGeoMean(a, p)
	case atom.SumLargest, atom.SumSmallest:
		k, err := Whole(row.Name, p[0])
		switch {
		case err != nil:
			return expr.Scalar{Err: err}
		case row == atom.SumLargest:
			return SumLargest(a, k)
		}
		return a.Sum().Sub(SumLargest(a, a.Len()-k))
	case atom.Inner:
		half := a.Len() / 2
		return InnerOf(a.Slice(0, half), a.Slice(half, 2*half))
	}
	return expr.ApplyEntries(row, p, a)
}

// Whole is a number of data, or an error.
func Whole(op string, v float64) (int, error) {
	if n := int(v); float64(n) == v {
		return n, nil
	}
	return 0, expr.Failed("%s with the count %g", op, v).Err
}
