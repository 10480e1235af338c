package qpbackend

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend/internal/amd"
	"github.com/dcopt/dcopt/qpbackend/internal/dissect"
	"github.com/dcopt/dcopt/qpbackend/internal/equil"
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

// Convexity decides whether P is positive semidefinite: it is where its diagonal dominates
// (Gershgorin). Else it is decided by factoring S·P·S + ε·I, S the scaling: its pivots are positive
// exactly if the smallest scaled eigenvalue of P is above −ε. It is for matrices of one pattern,
// and for one goroutine.
type Convexity struct {
	k      *sparse.CSC // upper triangle with diagonal of the variables in products
	vars   []int       // these variables
	pos    []int       // entry of P → entry of k, −1 for a square of another variable
	diag   []int
	f      *ldl.Factor // of k; nil, as all these: not needed so far
	scale  []float64
	rows   [][]float64 // the envelope: each row of the lower triangle from its first entry on; nil: not needed so far
	narrow bool        // it is factored faster than a pattern is analysed
}

// NewConvexity looks at the pattern of P, an upper triangle. The error is ctx.Err().
func NewConvexity(ctx context.Context, p *sparse.CSC) (*Convexity, error) {
	c := &Convexity{scale: make([]float64, p.Cols)}
	work := 0.0
	for j := range p.Cols {
		work += products(width(p, j))
	}
	c.narrow = work <= columnWork*float64(p.Cols)+entryWork*float64(p.NNZ())
	return c, ctx.Err()
}

// A dot product of two rows of the envelope takes as long as one of dotLatency entries more, and
// the analysis of a pattern, with its factor, longer than columnWork products for each column and
// entryWork for each entry. Source: fitted to BenchmarkConvexity. In thousands, scattered-100 has
// 160 products for 220 of these and takes .45 of the time of an analysis, dense-100 240 for 400 and
// .56, scattered-200 970 for 430 and 1.2, dense-200 1600 for 1200 and .95.
const (
	dotLatency = 30
	columnWork = 2000
	entryWork  = 40
)

// products is the work of a row of the envelope with so many entries in front of the diagonal.
func products(width int) float64 { return float64(width) * float64(width+dotLatency) / 2 }

// width is the number of entries in row j of the envelope in front of the diagonal.
func width(p *sparse.CSC, j int) int {
	if e := p.ColPtr[j]; e < p.ColPtr[j+1] {
		return j - p.RowIdx[e]
	}
	return 0
}

// analyse makes the factor.
func (c *Convexity) analyse(ctx context.Context, p *sparse.CSC) error {
	number := make([]int, p.Cols) // of a variable in products, from 1
	for j := range number {
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
	perm, err := amd.Order(ctx, k.Cols, k.ColPtr, k.RowIdx)
	if err != nil {
		return err
	}
	f, err := ldl.Count(ctx, k, perm)
	if err != nil {
		return err
	}
	if f, err = dissect.Better(ctx, k, f); err != nil {
		return err
	}
	if err := f.Store(ctx); err != nil {
		return err
	}
	c.k, c.f = k, f
	return nil
}

// envelope makes room for the rows of the lower triangle.
func (c *Convexity) envelope(p *sparse.CSC) {
	size := p.Cols
	for j := range p.Cols {
		size += width(p, j)
	}
	room := make([]float64, size)
	c.rows = make([][]float64, p.Cols)
	for j := range c.rows {
		n := 1 + width(p, j)
		c.rows[j], room = room[:n:n], room[n:]
	}
}

// betweenLooks is the number of products between two looks at the context. Source: a limit of time,
// some ms.
const betweenLooks = 1e7

// definite reports whether Cholesky's factors, row by row within the envelope, show that S·P·S +
// ε·I is positive definite. The error is ctx.Err().
func (c *Convexity) definite(ctx context.Context, p *sparse.CSC, ε float64) (bool, error) {
	if !c.narrow {
		return false, nil
	}
	work := 0.0
	if c.rows == nil {
		c.envelope(p)
	}
	for j, row := range c.rows {
		first, last := j+1-len(row), len(row)-1
		if work += products(last); work > betweenLooks {
			if err := ctx.Err(); err != nil {
				return false, err
			}
			work = 0
		}
		clear(row)
		for e := p.ColPtr[j]; e < p.ColPtr[j+1]; e++ {
			i := p.RowIdx[e]
			row[i-first] = p.Val[e] * c.scale[i] * c.scale[j]
		}
		d := row[last] + ε
		for k := range last {
			upper := c.rows[first+k]
			n := min(k, len(upper)-1)
			v := row[k-n : k]
			row[k] = (row[k] - num.Dot(v, upper[len(upper)-1-n:])) * upper[len(upper)-1]
			d -= row[k] * row[k]
		}
		if !(d > 0 && num.Finite(d)) {
			return false, nil
		}
		row[last] = 1 / math.Sqrt(d)
	}
	return true, nil
}

// dominant reports whether each diagonal entry is at least the sum of the sizes of the others in
// its row, for which it uses c.scale.
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

// Check returns a *NonconvexError for a P with more negative curvature than
// rounding makes, and ctx.Err() where ctx has ended. exact says that there is
// none at all; else a method has to outweigh it, by a proximal term of weight
// Outweigh where P is scaled to columns of largest entry one.
func (c *Convexity) Check(ctx context.Context, p *sparse.CSC) (exact bool, err error) {
	if c.dominant(p) {
		return true, nil
	}
	clear(c.scale)
	equil.SymNorms(p, c.scale)
	for j, v := range c.scale {
		if v > 0 {
			c.scale[j] = 1 / math.Sqrt(v)
		}
	}
	if ok, err := c.definite(ctx, p, exactTol); ok || err != nil {
		return ok, err
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
	if c.f == nil {
		if err := c.analyse(ctx, p); err != nil {
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
