package qpbackend

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend/internal/amd"
	"github.com/dcopt/dcopt/qpbackend/internal/dissect"
	"github.com/dcopt/dcopt/qpbackend/internal/ldl"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Curvature below −nonconvexTol, in P scaled to columns of largest entry one,
// makes a problem nonconvex for every backend. Source: derived: P comes rounded: an entry printed
// with six significant digits is off by up to 5e-7 of itself, which moves
// eigenvalues by up to 5e-7 for each entry of a row: by nonconvexTol in rows of
// 200. VALUES of the Maros-Meszaros set has −1.3e-5, unscaled.
//
// exactTol bounds a zero computed in double precision.
const (
	nonconvexTol = 1e-4
	// Source: derived: a million unit roundoffs, for a factorisation of that order at most.
	exactTol = 1e-10
)

// Outweigh is the weight of a proximal term that makes convex every matrix that Check accepts.
// Source: derived: ten times the curvature that it may have.
const Outweigh = 10 * nonconvexTol

// Convexity decides whether P is positive semidefinite: it is where its diagonal dominates (Gershgorin). Else it is decided by
// factoring S·P·S + ε·I, S the scaling: its pivots are positive exactly if the smallest
// scaled eigenvalue of P is above −ε. It is for matrices of one pattern, and for
// one goroutine.
type Convexity struct {
	k     *sparse.CSC // upper triangle with diagonal of the variables in products; nil where P is diagonal
	vars  []int       // these variables
	pos   []int       // entry of P → entry of k, −1 for a square of another variable
	diag  []int
	f     *ldl.Factor // nil: not needed so far, as dominant matrices and dense need none
	scale []float64
	dense []float64 // n × n, where all entries are stored and a loop takes less
}

// mostDense is the order up to which that is so.
// Source: derived: at 64 a factor in panels begins to take less than a loop, and the analysis
// of the pattern as long as loops at 128.
const mostDense = 128

// NewConvexity looks at the pattern of P, an upper triangle. The error is that of ctx.
func NewConvexity(ctx context.Context, p *sparse.CSC) (*Convexity, error) {
	n := p.Cols
	c := &Convexity{scale: make([]float64, n)}
	if isDiagonal(p) {
		return c, nil
	}
	number := make([]int, n) // of a variable in products, from 1
	for j := range n {
		for _, i := range p.RowIdx[p.ColPtr[j]:p.ColPtr[j+1]] {
			if i != j {
				number[i], number[j] = 1, 1
			}
		}
	}
	for j, in := range number {
		if in > 0 {
			c.vars = append(c.vars, j)
			number[j] = len(c.vars)
		}
	}
	size := len(c.vars)
	c.pos, c.diag = make([]int, p.NNZ()), make([]int, size)
	k := &sparse.CSC{Rows: size, Cols: size, ColPtr: make([]int, size+1), RowIdx: make([]int, 0, size+p.NNZ())}
	for j, t := range number {
		for e := p.ColPtr[j]; e < p.ColPtr[j+1]; e++ {
			if c.pos[e] = len(k.RowIdx); t == 0 {
				c.pos[e] = -1
			} else if i := p.RowIdx[e]; i != j {
				k.RowIdx = append(k.RowIdx, number[i]-1)
			}
		}
		if t > 0 {
			c.diag[t-1] = len(k.RowIdx)
			k.RowIdx = append(k.RowIdx, t-1)
			k.ColPtr[t] = len(k.RowIdx)
		}
	}
	k.Val = make([]float64, len(k.RowIdx))
	c.k = k
	if p.NNZ() == n*(n+1)/2 && n <= mostDense {
		c.dense = make([]float64, n*n)
	}
	return c, ctx.Err()
}

func (c *Convexity) analyse(ctx context.Context) error {
	perm, err := amd.Order(ctx, c.k.Cols, c.k.ColPtr, c.k.RowIdx)
	if err != nil {
		return err
	}
	f, err := ldl.Count(ctx, c.k, perm)
	if err != nil {
		return err
	}
	if f, err = dissect.Better(ctx, c.k, f); err != nil {
		return err
	}
	if err := f.Store(ctx, false); err != nil {
		return err
	}
	c.f = f
	return nil
}

// definite reports whether a loop shows that S·P·S + ε·I is positive definite.
func (c *Convexity) definite(p *sparse.CSC, ε float64) bool {
	n := p.Cols
	if c.dense == nil {
		return false
	}
	for j := range n {
		row := c.dense[j*n:][:j+1]
		for i, v := range p.Val[p.ColPtr[j]:][:j+1] {
			row[i] = v * c.scale[i] * c.scale[j]
		}
		row[j] += ε
	}
	return num.Cholesky(c.dense, n)
}

// dominant reports whether each diagonal entry is at least the sum of the sizes of the others in its row, for which it uses c.scale.
func (c *Convexity) dominant(p *sparse.CSC) bool {
	rest := c.scale
	clear(rest)
	for j := range p.Cols {
		for e := p.ColPtr[j]; e < p.ColPtr[j+1]; e++ {
			if i, v := p.RowIdx[e], p.Val[e]; i == j {
				rest[j] += v
			} else {
				rest[i] -= math.Abs(v)
				rest[j] -= math.Abs(v)
			}
		}
	}
	for _, v := range rest {
		if !(v >= 0) {
			return false
		}
	}
	return true
}

func isDiagonal(p *sparse.CSC) bool {
	for j := range p.Cols {
		for k := p.ColPtr[j]; k < p.ColPtr[j+1]; k++ {
			if p.RowIdx[k] != j {
				return false
			}
		}
	}
	return true
}

// Check returns a *NonconvexError for a P with more negative curvature than
// rounding makes, and ctx.Err() where ctx has ended. exact says that there is
// none at all; else a method has to outweigh it, by a proximal term of weight
// Outweigh where P is scaled to columns of largest entry one.
func (c *Convexity) Check(ctx context.Context, p *sparse.CSC) (exact bool, err error) {
	if c.dominant(p) {
		return true, nil
	}
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
	if c.definite(p, exactTol) {
		return true, nil
	}
	if bad, err := c.negative(ctx, p, exactTol); bad < 0 || err != nil {
		return err == nil, err
	}
	bad, err := c.negative(ctx, p, nonconvexTol)
	if bad >= 0 {
		return false, &NonconvexError{Index: bad}
	}
	return false, err
}

// negative is the variable at whose pivot S·P·S + ε·I fails to be positive, −1
// for none.
func (c *Convexity) negative(ctx context.Context, p *sparse.CSC, ε float64) (int, error) {
	if c.k == nil {
		for j := range p.Cols {
			if k := p.ColPtr[j]; k < p.ColPtr[j+1] && p.Val[k]*c.scale[j]*c.scale[j] < -ε {
				return j, nil
			}
		}
		return -1, nil
	}
	if c.f == nil {
		if err := c.analyse(ctx); err != nil {
			return -1, err
		}
	}
	for _, d := range c.diag {
		c.k.Val[d] = 0
	}
	for j := range p.Cols {
		for e := p.ColPtr[j]; e < p.ColPtr[j+1]; e++ {
			v := p.Val[e] * c.scale[j] * c.scale[p.RowIdx[e]]
			if at := c.pos[e]; at >= 0 {
				c.k.Val[at] = v
			} else if v < -ε {
				return j, nil
			}
		}
	}
	for _, d := range c.diag {
		c.k.Val[d] += ε
	}
	d, perm := c.f.Pivots()
	if err := c.factorise(ctx, d); err != nil {
		if ctx.Err() != nil {
			return -1, ctx.Err()
		}
		// A pivot of exactly zero: the pivots after it are not known. Move ε off it;
		// where that does not help, the pivots up to it decide.
		for _, d := range c.diag {
			c.k.Val[d] += ε / 16
		}
		if err := c.factorise(ctx, d); err != nil && ctx.Err() != nil {
			return -1, ctx.Err()
		}
	}
	for t, v := range d {
		if !(v > 0) {
			return c.vars[perm[t]], nil
		}
	}
	return -1, nil
}

// factorise factors k; pivots that it does not come to are 1.
func (c *Convexity) factorise(ctx context.Context, pivots []float64) error {
	for t := range pivots {
		pivots[t] = 1
	}
	_, err := c.f.Factorise(ctx, c.k.Val, nil, ldl.Regularisation{})
	return err
}
