package ipm

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/amd"
	"github.com/dcopt/dcopt/qpbackend/internal/ldl"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Curvature below −tolerance, in P scaled to columns of largest entry one,
// makes a problem nonconvex. P comes rounded: a semidefinite matrix printed
// with six digits has such eigenvalues. Between −tolerance and −exact the
// problem is solved with a proximal term that outweighs the curvature.
const (
	nonconvexTol       = 1e-4
	exactTol           = 1e-10
	slightlyNonconvexρ = 1e-3
)

// convexity decides whether P is positive semidefinite, by factoring
// S·P·S + ε·I: its pivots are positive exactly if P's smallest scaled eigenvalue
// is above −ε.
type convexity struct {
	k     *sparse.CSC // upper triangle with diagonal; nil where P is diagonal
	pos   []int       // entry of P → entry of k
	diag  []int
	f     *ldl.Factor
	scale []float64
}

func newConvexity(p *sparse.CSC) (*convexity, error) {
	n := p.Cols
	c := &convexity{scale: make([]float64, n)}
	diagonal := true
	for j := range n {
		for k := p.ColPtr[j]; k < p.ColPtr[j+1]; k++ {
			diagonal = diagonal && p.RowIdx[k] == j
		}
	}
	if diagonal {
		return c, nil
	}
	c.pos, c.diag = make([]int, p.NNZ()), make([]int, n)
	k := &sparse.CSC{Rows: n, Cols: n, ColPtr: make([]int, n+1)}
	for j := range n {
		for e := p.ColPtr[j]; e < p.ColPtr[j+1]; e++ {
			c.pos[e] = len(k.RowIdx)
			if i := p.RowIdx[e]; i != j {
				k.RowIdx = append(k.RowIdx, i)
			}
		}
		c.diag[j] = len(k.RowIdx)
		k.RowIdx = append(k.RowIdx, j)
		k.ColPtr[j+1] = len(k.RowIdx)
	}
	k.Val = make([]float64, len(k.RowIdx))
	f, err := ldl.Analyse(k, amd.Order(n, k.ColPtr, k.RowIdx))
	c.k, c.f = k, f
	return c, err
}

// check returns a *qpbackend.NonconvexError for a clearly nonconvex P, and
// reports whether a tolerated amount of negative curvature is there.
func (c *convexity) check(p *sparse.CSC) (slightly bool, err error) {
	clear(c.scale)
	for j := range p.Cols {
		for k := p.ColPtr[j]; k < p.ColPtr[j+1]; k++ {
			v, i := math.Abs(p.Val[k]), p.RowIdx[k]
			c.scale[i] = max(c.scale[i], v)
			c.scale[j] = max(c.scale[j], v)
		}
	}
	for j, v := range c.scale {
		if v > 0 {
			c.scale[j] = 1 / math.Sqrt(v)
		}
	}
	if c.bad(p, exactTol) < 0 {
		return false, nil
	}
	if j := c.bad(p, nonconvexTol); j >= 0 {
		return false, &qpbackend.NonconvexError{Index: j}
	}
	return true, nil
}

// bad is the variable at whose pivot S·P·S + ε·I fails to be positive, −1 for
// none.
func (c *convexity) bad(p *sparse.CSC, ε float64) int {
	if c.k == nil {
		for j := range p.Cols {
			if k := p.ColPtr[j]; k < p.ColPtr[j+1] && p.Val[k]*c.scale[j]*c.scale[j] < -ε {
				return j
			}
		}
		return -1
	}
	for _, d := range c.diag {
		c.k.Val[d] = 0
	}
	for j := range p.Cols {
		for e := p.ColPtr[j]; e < p.ColPtr[j+1]; e++ {
			c.k.Val[c.pos[e]] = p.Val[e] * c.scale[j] * c.scale[p.RowIdx[e]]
		}
	}
	for _, d := range c.diag {
		c.k.Val[d] += ε
	}
	if _, err := c.f.Factorise(c.k.Val, nil, ldl.Regularisation{}); err != nil {
		// A pivot of exactly zero: the pivots after it are those of the last
		// call. Move ε off it.
		for _, d := range c.diag {
			c.k.Val[d] += ε / 16
		}
		if _, err = c.f.Factorise(c.k.Val, nil, ldl.Regularisation{}); err != nil {
			return -1
		}
	}
	d, perm := c.f.Pivots()
	for t, v := range d {
		if !(v > 0) {
			return perm[t]
		}
	}
	return -1
}
