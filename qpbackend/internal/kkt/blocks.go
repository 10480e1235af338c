package kkt

import (
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend/internal/elimination"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

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

// number counts the columns behind the rows and notes where they begin.
func (s *System) number() int {
	count := 0
	s.cones.behind = true
	for _, b := range s.cones.blocks {
		if b.Expanded {
			s.cones.extra = append(s.cones.extra, s.n+s.m+count)
			count += 2
		} else {
			s.cones.extra = append(s.cones.extra, -1) // also where it is eliminated
			s.cones.behind = false
		}
	}
	return count
}

// blockEntries is the number of entries that blocks add off the diagonal.
func (s *System) blockEntries() int {
	count := 0
	for t, b := range s.cones.blocks {
		switch {
		case s.cones.gone[t]:
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
	b := s.cones.blocks[next]
	if i < b.Start {
		return next
	}
	if !b.Expanded && !s.cones.gone[next] {
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
	for t, b := range s.cones.blocks {
		if !b.Expanded {
			continue
		}
		for e := s.cones.extra[t]; e < s.cones.extra[t]+2; e++ {
			for i := range b.Len {
				k.RowIdx = append(k.RowIdx, s.n+b.Start+i)
			}
			s.tri.diag[e] = len(k.RowIdx)
			k.RowIdx = append(k.RowIdx, e)
			k.ColPtr[e+1] = len(k.RowIdx)
		}
	}
}

// SetDense gives the dense block t the upper triangle of G, column by column.
// Its diagonal is not looked at: that goes into the argument of Factorise.
func (s *System) SetDense(t int, g []float64) {
	b, val := s.cones.blocks[t], s.tri.k.Val
	at := 0
	for j := range b.Len {
		column := val[s.tri.diag[s.n+b.Start+j]-j:][:j]
		for i, v := range g[at:][:j] {
			column[i] = -v
		}
		at += j + 1
	}
}

// Expansion returns the places for u and v of the expanded block t.
func (s *System) Expansion(t int) (u, v []float64) {
	b, e := s.cones.blocks[t], s.cones.extra[t]
	v = s.tri.k.Val[s.tri.diag[e]-b.Len:][:b.Len]
	u = s.tri.k.Val[s.tri.diag[e+1]-b.Len:][:b.Len]
	return u, v
}

// weighBlocks sets the weights of the residuals of blocks, and the diagonal
// behind the rows. An entry missing from the rows of a block is missing from the rows of the
// problem too, however large G is; an entry missing behind the rows counts as
// much as it moves them.
func (s *System) weighBlocks() {
	for t, b := range s.cones.blocks {
		for i := b.Start; i < b.Start+b.Len; i++ {
			s.ref.weight[i] = 1
		}
		if !b.Expanded {
			continue
		}
		e := s.cones.extra[t]
		s.tri.k.Val[s.tri.diag[e]], s.tri.k.Val[s.tri.diag[e+1]] = -1, 1
		s.tri.d[e], s.tri.d[e+1] = -1, 1
		u, v := s.Expansion(t)
		s.ref.weight[e-s.n], s.ref.weight[e+1-s.n] = max(1, num.NormInf(v)), max(1, num.NormInf(u))
	}
}

// subtractBlocks is the part of subtract of expanded blocks, with the residuals behind the rows.
func (s *System) subtractBlocks(b, x []float64) {
	for t, block := range s.cones.blocks {
		if !block.Expanded {
			continue
		}
		first, e := s.n+block.Start, s.cones.extra[t]
		res, rows := s.ref.res[first:][:block.Len], x[first:][:block.Len]
		u, v := s.Expansion(t)
		for k, column := range [...][]float64{v, u} {
			own := x[e+k]
			sum := s.tri.d[e+k] * own
			if len(rows) >= leastWide {
				sum += s.by.wide.dotAxpy(column, rows, res, -own)
			} else {
				for i, a := range column {
					res[i] -= a * own
					sum += a * rows[i]
				}
			}
			s.ref.res[e+k] = b[e+k] - sum
		}
	}
}

// Eliminated reports whether the rows of block t are eliminated: then it has a Scaling in
// place of a dense block, and its entries of the argument of Factorise are zero.
func (s *System) Eliminated(t int) bool { return s.cones.gone[t] }

// Own are the variables that are eliminated with the rows of block t; their entries of the
// argument of Factorise are zero, too.
func (s *System) Own(t int) []int { return s.cones.blocks[t].Own }

// SetScaling gives the eliminated block t its G, which may change before each Factorise.
func (s *System) SetScaling(t int, g Scaling) {
	blocks := s.f.(*eliminated).blocks // by ascending first column
	k, found := slices.BinarySearchFunc(blocks, s.n+s.cones.blocks[t].Start, func(b *gone, first int) int {
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

// eliminable reports whether the elimination of the rows of a semidefinite block takes less than
// its dense block: the operations of the Schur complement, of its factor and of the scaling against
// a factor of as many rows. Of a small block, most columns for each row are.
func eliminable(at *sparse.CSC, first, length, order, most int) bool {
	if order < leastOrder {
		return false
	}
	columns, entries := members(at, first, length, 0)
	w, n, rows := float64(len(columns)), float64(order), float64(length)
	if order < cheapOrder {
		return len(columns) <= most*length
	}
	price := elimination.New(order, entries).Work() + inPanel*w*w*w/3 + passes*inPanel*n*n*n
	return price < inPanel*(rows*rows*rows/3+rows*rows*w)
}

// Source: from leastOrder to cheapOrder either way takes some tenths of a millisecond, and with the
// rows eliminated the last digits of small eigenvalues are kept: of the problems control1, truss2,
// hinf2 to hinf14 of SDPLIB 4 are solved and none without; of 33 random trusses all, in 0.97 of the
// time where cones with up to mostColumns columns for each row are eliminated too. inPanel is
// inBlocks; passes are the products of matrices of an iteration: four solves of two each.
const (
	leastOrder  = 4
	cheapOrder  = 12
	mostColumns = 3 // for each row of such a cone
	inPanel     = inBlocks
	passes      = 8
)
