package kkt

import (
	"context"
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend/internal/elimination"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Block is a range of rows that has −G − diag(g) in the matrix instead of
// −diag(g), G positive semidefinite: the scaling of a cone.
//
// A dense block stores G. An expanded one has G = diag + uuᵀ − vvᵀ with
// diag − vvᵀ positive definite, and stores u and v alone, as two columns behind
// the rows,
//
//	⎡ −diag  v   u ⎤
//	⎢  vᵀ   −1     ⎥
//	⎣  uᵀ        1 ⎦
//
// so that the fill grows with the length and not with its square.
type Block struct {
	Start, Len int
	Expanded   bool
	Order      int // of the matrices of a semidefinite cone; 0 for any other

	// Own says that the rows hold one variable each, in this order, that no other row of these has,
	// and that has no entry in H nor in its diagonal: a matrix variable. Nil where it is none.
	Own []int
}

// NewBlocks is NewWith for rows of which some, by ascending Start and disjoint,
// form blocks. With long dense ones the strategy is Sparse: components that hold
// matrices with eigenvalues far apart lose digits when they are eliminated first.
//
// Of semidefinite cones those are eliminated for which that takes fewer operations, with
// Schur all and with Sparse none; of a matrix variable, the variables with the rows.
func NewBlocks(ctx context.Context, p, at *sparse.CSC, blocks []Block, how Strategy) (*System, error) {
	return NewLike(ctx, p, at, blocks, how, nil)
}

// NewLike is NewBlocks. Where the matrix has the pattern of like, a System made with the same
// strategy, and a border, it is not analysed again.
func NewLike(ctx context.Context, p, at *sparse.CSC, blocks []Block, how Strategy, like *System) (*System, error) {
	blocks = withOwn(at, blocks, how)
	gone, entries, most := make([]bool, len(blocks)), 0.0, mostIn(blocks)
	for t, b := range blocks {
		if gone[t] = b.Own != nil || b.Order > 0 &&
			(how == Schur || how == Auto && eliminable(at, b.Start, b.Len, b.Order, most)); gone[t] {
			continue
		}
		if length := float64(b.Len); !b.Expanded {
			if entries += length * (length + 1) / 2; entries > mostDense {
				return nil,
					fmt.Errorf("kkt: with a cone of %d rows the matrix has more than %g entries; the strategy auto "+
						"would eliminate the rows of semidefinite cones", b.Len, float64(mostDense))
			}
		}
	}
	for t, b := range blocks {
		if gone[t] || how == Schur || !b.Expanded && b.Len > longBlock {
			how = Sparse
		}
	}
	return newSystem(ctx, p, at, blocks, gone, how, like)
}

// mostIn is the number of columns for each row up to which small blocks are eliminated. A
// complement of more columns than rows is singular. The sum of all need not be, where all cones are
// semidefinite. But beside blocks of other cones, which stay, pivots may be rounding alone, and the
// rows of those blocks magnify it. Source: of 1000 random programs with cones of every kind 24 are
// not solved where mostColumns holds for all, and each is with 1, in .96 of the iterations.
func mostIn(blocks []Block) int {
	if slices.ContainsFunc(blocks, func(b Block) bool { return b.Order == 0 }) {
		return 1
	}
	return mostColumns
}

// mostDense entries of dense blocks take most of a GB, and the factor as much
// again.
// Source: a limit of memory: 1e8 float64 have 0.8 GB.
const mostDense = 1e8

// Source: as ipm's longestDense: up to it a dense block is cheaper than the
// expanded one.
const longBlock = 4

// Size is the number of unknowns: variables, rows, and two for each expanded
// block, whose right-hand sides are zero.
func (s *System) Size() int { return len(s.diag) }

// number counts the columns behind the rows and notes where they begin.
func (s *System) number() int {
	count := 0
	s.behind = true
	for _, b := range s.blocks {
		if b.Expanded {
			s.extra = append(s.extra, s.n+s.m+count)
			count += 2
		} else {
			s.extra = append(s.extra, -1) // also where it is eliminated
			s.behind = false
		}
	}
	return count
}

func (s *System) signExtra() {
	for _, e := range s.extra {
		if e >= 0 {
			s.sign[e], s.sign[e+1] = -1, 1
		}
	}
}

// blockEntries is the number of entries that blocks add off the diagonal.
func (s *System) blockEntries() int {
	count := 0
	for t, b := range s.blocks {
		switch {
		case s.gone[t]:
		case b.Expanded:
			count += 2 * b.Len
		default:
			count += b.Len * (b.Len - 1) / 2
		}
	}
	return count
}

// above appends the entries of row i above the diagonal that belong to block
// next or one after it. It returns the block that the next row may belong to.
func (s *System) above(k *sparse.CSC, next, i int) int {
	b := s.blocks[next]
	if i < b.Start {
		return next
	}
	if !b.Expanded && !s.gone[next] {
		for t := b.Start; t < i; t++ {
			k.RowIdx = append(k.RowIdx, s.n+t)
		}
	}
	if i == b.Start+b.Len-1 {
		next++
	}
	return next
}

// columnsBehind appends the columns behind the rows.
func (s *System) columnsBehind(k *sparse.CSC) {
	for t, b := range s.blocks {
		if !b.Expanded {
			continue
		}
		for e := s.extra[t]; e < s.extra[t]+2; e++ {
			for i := range b.Len {
				k.RowIdx = append(k.RowIdx, s.n+b.Start+i)
			}
			s.diag[e] = len(k.RowIdx)
			k.RowIdx = append(k.RowIdx, e)
			k.ColPtr[e+1] = len(k.RowIdx)
		}
	}
}

// SetDense gives the dense block t the upper triangle of G, column by column.
// Its diagonal is not looked at: that goes into the argument of Factorise.
func (s *System) SetDense(t int, g []float64) {
	b, val := s.blocks[t], s.k.Val
	at := 0
	for j := range b.Len {
		column := val[s.diag[s.n+b.Start+j]-j:][:j]
		for i, v := range g[at:][:j] {
			column[i] = -v
		}
		at += j + 1
	}
}

// Expansion returns the places for u and v of the expanded block t.
func (s *System) Expansion(t int) (u, v []float64) {
	b, e := s.blocks[t], s.extra[t]
	v = s.k.Val[s.diag[e]-b.Len:][:b.Len]
	u = s.k.Val[s.diag[e+1]-b.Len:][:b.Len]
	return u, v
}

// weighBlocks sets the weights of the residuals of blocks, and the diagonal
// behind the rows. An entry missing from the rows of a block is missing from the rows of the
// problem too, however large G is; an entry missing behind the rows counts as
// much as it moves them.
func (s *System) weighBlocks() {
	for t, b := range s.blocks {
		for i := b.Start; i < b.Start+b.Len; i++ {
			s.weight[i] = 1
		}
		if !b.Expanded {
			continue
		}
		e := s.extra[t]
		s.k.Val[s.diag[e]], s.k.Val[s.diag[e+1]] = -1, 1
		s.d[e], s.d[e+1] = -1, 1
		u, v := s.Expansion(t)
		s.weight[e-s.n], s.weight[e+1-s.n] = max(1, num.NormInf(v)), max(1, num.NormInf(u))
	}
}

// subtractBlocks is the part of subtractRows of expanded blocks, with the residuals behind the
// rows.
func (s *System) subtractBlocks(b, x []float64) {
	for t, block := range s.blocks {
		first, e := s.n+block.Start, s.extra[t]
		res, rows := s.res[first:][:block.Len], x[first:][:block.Len]
		u, v := s.Expansion(t)
		if len(rows) == 3 {
			first, last := x[e], x[e+1]
			r, x, v, u := (*[3]float64)(res), (*[3]float64)(rows), (*[3]float64)(v), (*[3]float64)(u)
			r[0] = r[0] - v[0]*first - u[0]*last
			r[1] = r[1] - v[1]*first - u[1]*last
			r[2] = r[2] - v[2]*first - u[2]*last
			s.res[e] = b[e] - (s.d[e]*first + v[0]*x[0] + v[1]*x[1] + v[2]*x[2])
			s.res[e+1] = b[e+1] - (s.d[e+1]*last + u[0]*x[0] + u[1]*x[1] + u[2]*x[2])
			continue
		}
		for k, column := range [...][]float64{v, u} {
			own := x[e+k]
			sum := s.d[e+k] * own
			if len(rows) >= leastWide {
				sum += s.wide.dotAxpy(column, rows, res, -own)
			} else {
				for i, a := range column {
					res[i] -= a * own
					sum += a * rows[i]
				}
			}
			s.res[e+k] = b[e+k] - sum
		}
	}
}

// newFactor is the factor of the strategy, with the eliminated blocks.
func (s *System) newFactor(ctx context.Context, how Strategy, like *System) (factor, error) {
	if like != nil {
		if f, ok := like.f.(*arrowhead); ok && slices.Equal(s.k.ColPtr, like.k.ColPtr) &&
			slices.Equal(s.k.RowIdx, like.k.RowIdx) {
			return newArrowhead(s.k, f.partition), nil
		}
	}
	blocks := eliminations(s.blocks, s.n, func(t int) bool { return s.gone[t] })
	if blocks == nil {
		return newFactor(ctx, s.k, how, len(s.blocks) > 0)
	}
	return newEliminated(ctx, s.k, s.n, blocks)
}

// Eliminated reports whether the rows of block t are eliminated: then it has a Scaling in
// place of a dense block, and its entries of the argument of Factorise are zero.
func (s *System) Eliminated(t int) bool { return s.gone[t] }

// Own are the variables that are eliminated with the rows of block t; their entries of the
// argument of Factorise are zero, too.
func (s *System) Own(t int) []int { return s.blocks[t].Own }

// SetScaling gives the eliminated block t its G, which may change before each Factorise.
func (s *System) SetScaling(t int, g Scaling) {
	blocks := s.f.(*eliminated).blocks // by ascending first column
	k, found := slices.BinarySearchFunc(blocks, s.n+s.blocks[t].Start, func(b gone, first int) int {
		return b.first - first
	})
	if found {
		blocks[k].scaling = g
	}
}

// withOwn are the blocks without the matrix variables that are to stay: the ones of small matrices,
// those that elimination.Separable does not name, and with the strategy Sparse all.
func withOwn(at *sparse.CSC, blocks []Block, how Strategy) []Block {
	if len(blocks) == 0 {
		return nil
	}
	blocks = slices.Clone(blocks)
	var list []elimination.Range
	var of []int
	for t, b := range blocks {
		if b.Order == 0 {
			continue
		}
		if how == Sparse || how == Auto && b.Order < leastOrder {
			b.Own = nil
		}
		list, of = append(list, elimination.Range{First: b.Start, Len: b.Len, Own: b.Own}), append(of, t)
	}
	for k, yes := range elimination.Separable(at, list) {
		if !yes {
			blocks[of[k]].Own = nil
		}
	}
	return blocks
}

// eliminations are the blocks that which names, in a matrix in which rows begin at column n.
func eliminations(blocks []Block, n int, which func(t int) bool) (list []semidefinite) {
	for t, b := range blocks {
		if which(t) {
			list = append(list, semidefinite{elimination.Range{First: n + b.Start, Len: b.Len, Own: b.Own}, b.Order})
		}
	}
	return list
}

// Cost is the memory in bytes, and the operations of an iteration in multiplications of a
// loop, that semidefinite blocks take.
type Cost struct{ Bytes, Work float64 }

// CostOf is the cost of the semidefinite ones of the blocks of rows of A, eliminated or not as the
// strategy auto would have it: the scaling, and a Schur complement with its factor or a dense
// block.
func CostOf(at *sparse.CSC, blocks []Block) (c Cost) {
	blocks = withOwn(at, blocks, Auto)
	most := mostIn(blocks)
	list := eliminations(blocks, 0, func(t int) bool { return blocks[t].Order > 0 })
	owners := elimination.Owners(at, 0, rangesOf(list))
	for t, b := range list {
		n, rows := float64(b.order), float64(b.Len)
		c.Bytes += matrices*word*n*n + vectorsOfRow*word*rows
		c.Work += scaling * n * n * n
		if b.Own == nil && !eliminable(at, b.First, b.Len, b.order, most) {
			c.Bytes += 3 * word * rows * rows / 2
			c.Work += inPanel * rows * rows * rows / 3
			continue
		}
		_, entries := b.members(at, owners[t], 0)
		w := float64(len(entries))
		c.Bytes += 5 * word * w * w / 2 // its places and values, and the factor with its own
		c.Work += elimination.New(b.order, entries).Work() + inPanel*w*w*w/3
	}
	return c
}

// Source: matrices counts as cone.Semidefinite and elimination.Gram; vectorsOfRow as package ipm,
// with the problem's own; scaling was fitted to the times of arch0, mcp250-1 and mcp500-3 of
// SDPLIB. perEntry, for the loops over entries and the solves, and inPair, for a pair of entries in
// the Schur complement, were fitted on mcp250-1, mcp500-1 and maxG11 in pieces; a fifth or four
// times perEntry changes their times by at most a fifth.
const (
	word         = 8
	matrices     = 14
	vectorsOfRow = 40
	scaling      = 12
	perEntry     = 5000
	inPair       = 10
)

// PieceCost is the cost of a matrix variable of which each entry is in an equation of its own, as
// in package chordal: in the factor those that are not among the outer ones are eliminated, with a
// front of all and the border.
func PieceCost(order, outer int, border float64) Cost {
	n := float64(order)
	all, left := n*(n+1)/2, float64(outer)*float64(outer+1)/2
	front, gone := all+border, all-left
	return Cost{
		Bytes: matrices*word*n*n + 2*vectorsOfRow*word*all + 5*word*gone*front,
		Work:  scaling*n*n*n + perEntry*all + inPair*all*all + inPanel*gone*(front*front-front*gone+gone*gone/3),
	}
}
