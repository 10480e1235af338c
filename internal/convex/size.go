package convex

import (
	"math"
)

// Sized is implemented by sums that count as their terms: the sum of the sizes of
// these at x, and the largest.
type Sized interface {
	Sizes(x []float64) (sum, most float64)
}

// Size is the largest term of l at x, the constant included.
func (l Linear) Size(x []float64) float64 {
	s := math.Abs(l.Const)
	for k, j := range l.Idx {
		s = max(s, FiniteSize(l.Val[k]*x[j]))
	}
	return s
}
