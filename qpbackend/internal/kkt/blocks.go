package kkt

import (
	"context"
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
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
}

// NewBlocks is NewWith for rows of which some, by ascending Start and disjoint,
// form blocks. With long dense ones the strategy is Sparse: components that hold
// matrices with eigenvalues far apart lose digits when they are eliminated first.
//
// Of semidefinite cones those are eliminated for which that takes fewer operations, with
// Schur all and with Sparse none.
func NewBlocks(ctx context.Context, p, at *sparse.CSC, blocks []Block, how Strategy) (*System, error) {
	gone, entries := make([]bool, len(blocks)), 0.0
	for t, b := range blocks {
		if gone[t] = b.Order > 0 && (how == Schur || how == Auto && eliminable(at, b.Start, b.Len, b.Order)); gone[t] {
			continue
		}
		if length := float64(b.Len); !b.Expanded {
			if entries += length * (length + 1) / 2; entries > mostDense {
				return nil, fmt.Errorf("kkt: with a cone of %d rows the matrix has more than %g entries; the strategy auto would eliminate the rows of semidefinite cones", b.Len, float64(mostDense))
			}
		}
	}
	for t, b := range blocks {
		if gone[t] || how == Schur || !b.Expanded && b.Len > longBlock {
			how = Sparse
		}
	}
	return newSystem(ctx, p, at, slices.Clone(blocks), gone, how)
}

// mostDense entries of dense blocks take most of a GB, and the factor as much
// again.
// Source: a limit of memory: 1e8 float64 have 0.8 GB.
const mostDense = 1e8

// Source: that of ipm's longestDense: up to it a dense block is cheaper than the
// expanded one.
const longBlock = 4

// Size is the number of unknowns: variables, rows, and two for each expanded
// block, whose right-hand sides are zero.
func (s *System) Size() int { return len(s.diag) }

// number counts the columns behind the rows and notes where they begin.
func (s *System) number() int {
	count := 0
	for _, b := range s.blocks {
		if b.Expanded {
			s.extra = append(s.extra, s.n+s.m+count)
			count += 2
		} else {
			s.extra = append(s.extra, -1) // also where it is eliminated
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

// behind appends the columns behind the rows.
func (s *System) behind(k *sparse.CSC) {
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

// newFactor is that of the strategy, with the eliminated blocks.
func (s *System) newFactor(ctx context.Context, how Strategy) (factor, error) {
	var blocks []semidefinite
	for t, b := range s.blocks {
		if s.gone[t] {
			blocks = append(blocks, semidefinite{s.n + b.Start, b.Len, b.Order})
		}
	}
	if blocks == nil {
		return newFactor(ctx, s.k, how, len(s.blocks) > 0)
	}
	return newEliminated(ctx, s.k, blocks)
}

// Eliminated reports whether the rows of block t are eliminated: then it has a Scaling in
// place of a dense block, and its entries of the argument of Factorise are zero.
func (s *System) Eliminated(t int) bool { return s.gone[t] }

// SetScaling gives the eliminated block t its G, which may change before each Factorise.
func (s *System) SetScaling(t int, g Scaling) {
	blocks := s.f.(*eliminated).blocks // by ascending first column
	k, found := slices.BinarySearchFunc(blocks, s.n+s.blocks[t].Start, func(b gone, first int) int { return b.first - first })
	if found {
		blocks[k].scaling = g
	}
}
