package admm

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// convexTol is the negative curvature that is taken for rounding, relative to
// columns of P with largest entry one: a semidefinite matrix printed with six
// digits has some.
const convexTol = 1e-5

// convexity decides whether P is positive semidefinite, by factoring
// S·P·S + convexTol·I, which has positive pivots only if it is.
type convexity struct {
	scaled *sparse.CSC
	sys    *system // nil where P is diagonal
	scale  []float64
	diag   []float64
}

func newConvexity(p *sparse.CSC) (*convexity, error) {
	n := p.Cols
	c := &convexity{scaled: p.Clone(), scale: make([]float64, n), diag: make([]float64, n)}
	for j := range n {
		for k := p.ColPtr[j]; k < p.ColPtr[j+1]; k++ {
			if p.RowIdx[k] != j {
				var err error
				c.sys, err = newSystem(c.scaled, sparse.Zero(n, 0))
				return c, err
			}
		}
	}
	return c, nil
}

// check returns a *qpbackend.NonconvexError for a P with more negative
// curvature than rounding makes.
func (c *convexity) check(p *sparse.CSC) error {
	clear(c.scale)
	for j := range p.Cols {
		for k := p.ColPtr[j]; k < p.ColPtr[j+1]; k++ {
			i, v := p.RowIdx[k], math.Abs(p.Val[k])
			c.scale[i], c.scale[j] = max(c.scale[i], v), max(c.scale[j], v)
		}
	}
	for j := range p.Cols {
		if k := p.ColPtr[j+1] - 1; k >= p.ColPtr[j] && p.RowIdx[k] == j && p.Val[k] < -convexTol*c.scale[j] {
			return &qpbackend.NonconvexError{Index: j}
		}
	}
	if c.sys == nil {
		return nil
	}
	for j, v := range c.scale {
		c.diag[j] = convexTol
		if v > 0 {
			c.scale[j] = 1 / math.Sqrt(v)
		}
	}
	for j := range p.Cols {
		for k := p.ColPtr[j]; k < p.ColPtr[j+1]; k++ {
			c.scaled.Val[k] = p.Val[k] * c.scale[p.RowIdx[k]] * c.scale[j]
		}
	}
	c.sys.load(nil)
	if replaced, err := c.sys.factor(c.diag); replaced > 0 || err != nil {
		return &qpbackend.NonconvexError{Index: -1}
	}
	return nil
}
