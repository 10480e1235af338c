//go:build osqp

package osqp

import (
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
	raw "github.com/dcopt/dcopt/third_party/osqp"
)

// convexTol is the negative curvature that is taken for rounding, relative to
// columns of P with largest entry one. VALUES of the Maros-Meszaros set has
// some: −1.3e-5, unscaled.
const convexTol = 1e-5

// checkConvex returns a *qpbackend.NonconvexError where the matrix with the
// pattern of p and the values val is not positive semidefinite. OSQP's own test
// looks at P + σI + ρAᵀA and lets much pass. Here OSQP factors the scaled P plus
// convexTol·I, as a problem without rows.
func checkConvex(p *sparse.CSC, val []float64) error {
	n := p.Cols
	scale := make([]float64, n)
	diagonal := true
	for j := range n {
		for k := p.ColPtr[j]; k < p.ColPtr[j+1]; k++ {
			i, v := p.RowIdx[k], math.Abs(val[k])
			scale[i], scale[j] = max(scale[i], v), max(scale[j], v)
			diagonal = diagonal && i == j
		}
	}
	for j := range n {
		if k := p.ColPtr[j+1] - 1; k >= p.ColPtr[j] && p.RowIdx[k] == j && val[k] < -convexTol*scale[j] {
			return &qpbackend.NonconvexError{Index: j}
		}
	}
	if diagonal {
		return nil
	}
	for j, v := range scale {
		scale[j] = 1 / math.Sqrt(max(v, math.SmallestNonzeroFloat64))
	}
	m := rawMatrix(p)
	m.Val = make([]float64, len(val))
	for j := range n {
		for k := p.ColPtr[j]; k < p.ColPtr[j+1]; k++ {
			m.Val[k] = val[k] * scale[p.RowIdx[k]] * scale[j]
		}
	}
	set := raw.DefaultSettings()
	set.Verbose, set.Scaling, set.Sigma = false, 0, convexTol
	c, err := raw.New(m, make([]float64, n), rawMatrix(sparse.Zero(0, n)), nil, nil, set)
	var e *raw.Error
	switch {
	case err == nil:
		c.Close()
		return nil
	case errors.As(err, &e) && e.Code == raw.ErrNonconvex:
		return &qpbackend.NonconvexError{Index: -1}
	}
	return fmt.Errorf("osqp: test of convexity: %w", err)
}
