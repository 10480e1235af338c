package elimination

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/matrix"
	"github.com/dcopt/dcopt/internal/poll"
)

// addWhole are the pairs of column k and some that follow, as many as there are lanes and as have
// the form whole, with each other and all that follow. It returns how many they are.
func (g *Gram) addWhole(work *poll.Poll, k, end int, m []float64, to Sum) (count int, err error) {
	for k+count < end && count < matrix.Lanes && g.columns[k+count].form == whole {
		g.half(&g.columns[k+count], m)
		g.wholly(&g.columns[k+count], m, count)
		count++
	}
	var sum [matrix.Lanes]float64
	for l := k; l < len(g.columns); l++ {
		o := &g.columns[l]
		g.product.Gather(&sum, o.g, o.row, g.lanes)
		for t, v := range sum[:min(count, l-k+1)] {
			c := &g.columns[k+t]
			to.add(c.member, o.member, v)
		}
		if err := work.Err(poll.Scattered * len(o.a)); err != nil {
			return count, err
		}
	}
	return count, nil
}

// wholly sets the lane to M·F·M.
func (g *Gram) wholly(c *column, m []float64, lane int) {
	n := g.n
	if g.lanes == nil {
		g.lanes = make([]float64, matrix.Lanes*n*(n+1)/2)
	}
	g.both(c, m)
	for at, b := lane, 0; b < n; b++ {
		for a := range b + 1 {
			g.lanes[at] = -g.u[a*n+b]
			at += matrix.Lanes
		}
	}
}

// gather sets t and u, n × r, to the columns of M and of (F·M)ᵀ that make an entry of
// M·F·M a product of two rows.
func (g *Gram) gather(c *column, m []float64) {
	n, r := g.n, len(c.rows)
	for k, row := range c.rows {
		for i, v := range m[int(row)*n:][:n] { // M is symmetric
			g.t[i*r+k] = v
		}
		for i, v := range g.w[k*n:][:n] {
			g.u[i*r+k] = v
		}
	}
}

// ExactWork is the work of AddExact, +Inf where it takes too much memory.
func (g *Gram) ExactWork() float64 {
	if float64(g.n*(g.n+1)/2)*float64(len(g.columns)) > mostSquares {
		return math.Inf(1)
	}
	return g.exact
}

// mostSquares bounds the entries of squares.
// Source: a limit of memory: 2^24 float64 have 134 MB.
const mostSquares = 1 << 24

// AddExact is Add for the m = BᵀB of which bt is Bᵀ, as the products of the Gᵢ = B·Fᵢ·Bᵀ: a
// diagonal entry of the Schur complement that is small, relative to the data matrix and m, is a sum
// of squares that are, where the sums of Add cancel. So the complement scaled to a diagonal of ones
// has errors of some unit roundoffs.
func (g *Gram) AddExact(ctx context.Context, bt []float64, to Sum) error {
	g.room()
	g.product.Within(ctx)
	n, count := g.n, len(g.columns)
	if g.squares == nil {
		g.squares, g.sums = make([]float64, n*(n+1)/2*count), make([]float64, count*count)
	}
	for k := range g.columns {
		c := &g.columns[k]
		g.half(c, bt)
		g.both(c, bt)
		at := k
		for b := range n {
			for a := range b {
				g.squares[at] = math.Sqrt2 * g.u[a*n+b]
				at += count
			}
			g.squares[at] = g.u[b*n+b]
			at += count
		}
		if g.product.Ends(n * n) {
			return ctx.Err()
		}
	}
	clear(g.sums)
	g.product.Subtract(g.sums, count, g.squares, g.squares, n*(n+1)/2, count, count, count, count, true)
	if g.product.Ends(0) {
		return ctx.Err()
	}
	for k, c := range g.columns {
		for l, o := range g.columns[k:] {
			to.add(c.member, o.member, -g.sums[k*count+k+l])
		}
	}
	return nil
}
