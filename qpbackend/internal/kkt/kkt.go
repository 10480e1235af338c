package kkt

import (
	"context"
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/qpbackend/internal/ldl"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// A pivot of the wrong sign or below pivotEps is replaced by pivotDelta.
// Refinement makes up for what that changes.
// Source: pivotEps is a hundred unit roundoffs; pivotDelta is near the square root of
// the unit roundoff, the usual compromise between the growth of the factor and the
// error that refinement removes. How much depends on it: docs/lab/bench.md, Constants of
// ipm.
const (
	pivotEps   = 1e-14
	pivotDelta = 1e-7
)

// Work is about the multiplications of an iteration: the factorisation, solves, and the scaling of
// semidefinite blocks.
func (s *System) Work() float64 {
	sum := s.f.work()
	for _, b := range s.cones.blocks {
		n := float64(b.Order)
		sum += scaling * n * n * n
	}
	return sum
}

func newSystem(ctx context.Context, p, at *sparse.CSC, blocks []Block, gone []bool, how Strategy,
	like *System) (*System, error) {
	n, m := p.Cols, at.Cols
	s := &System{n: n, m: m, p: p, at: at, cones: cones{blocks: blocks, gone: gone},
		by: products{wide: vectors(cpu.Wide())}}
	size := n + m + s.number()
	s.tri.pPos, s.tri.diag = make([]int, p.NNZ()), make([]int, size)
	s.tri.hd, s.tri.sign, s.tri.d = make([]float64, n), make([]int8, size), make([]float64, size)
	s.ref.res, s.tri.off = make([]float64, size), make([]bool, n+m)
	s.ref.ax, s.ref.cor, s.ref.weight = make([]float64, m), make([]float64, size), make([]float64, size-n)
	if err := s.pattern(ctx); err != nil {
		return nil, err
	}
	for i := range s.tri.sign {
		s.tri.sign[i] = 1
		if i >= n {
			s.tri.sign[i] = -1
		}
	}
	for _, e := range s.cones.extra {
		if e >= 0 {
			s.tri.sign[e+1] = 1
		}
	}
	f, err := s.newFactor(ctx, how, like)
	if err != nil {
		return nil, fmt.Errorf("kkt: %w", err)
	}
	s.f = f
	return s, nil
}

// pattern lays out the upper triangle, the diagonal always stored.
func (s *System) pattern(ctx context.Context) error {
	work := poll.New(ctx)
	n, m := s.n, s.m
	size := len(s.tri.diag)
	nnz := s.p.NNZ() + s.at.NNZ() + size + s.blockEntries()
	k := &sparse.CSC{
		Rows: size, Cols: size,
		ColPtr: make([]int, size+1), RowIdx: make([]int, 0, nnz),
	}
	s.tri.diagonal = true
	for j := range n {
		for e := s.p.ColPtr[j]; e < s.p.ColPtr[j+1]; e++ {
			s.tri.pPos[e] = len(k.RowIdx) // a diagonal entry is the last of its column
			if i := s.p.RowIdx[e]; i != j {
				k.RowIdx = append(k.RowIdx, i)
				s.tri.diagonal = false
			}
		}
		s.tri.diag[j] = len(k.RowIdx)
		k.RowIdx = append(k.RowIdx, j)
		k.ColPtr[j+1] = len(k.RowIdx)
	}
	next := 0 // the block that is ahead
	for i := range m {
		k.RowIdx = append(k.RowIdx, s.at.RowIdx[s.at.ColPtr[i]:s.at.ColPtr[i+1]]...)
		if next < len(s.cones.blocks) {
			next = s.above(k, next, i)
		}
		s.tri.diag[n+i] = len(k.RowIdx)
		k.RowIdx = append(k.RowIdx, n+i)
		k.ColPtr[n+i+1] = len(k.RowIdx)
		if err := work.Err(k.ColPtr[n+i+1] - k.ColPtr[n+i]); err != nil {
			return err
		}
	}
	s.columnsBehind(k)
	k.Val = make([]float64, len(k.RowIdx))
	s.tri.k = k
	return nil
}

// Load takes over the values of H, times θ, and of A. Columns that are off, variables
// first and rows after them, get zeros off the diagonal.
func (s *System) Load(θ float64, off []bool) {
	val := s.tri.k.Val
	// of the values off the diagonal
	changed := !s.tri.loaded || len(s.cones.blocks) > 0 || !slices.Equal(s.tri.off, off)
	s.tri.loaded = true
	copy(s.tri.off, off)
	for j := range s.n {
		s.tri.hd[j] = 0
		for e := s.p.ColPtr[j]; e < s.p.ColPtr[j+1]; e++ {
			i, v := s.p.RowIdx[e], θ*s.p.Val[e]
			if off[i] || off[j] {
				v = 0
			}
			if i == j {
				s.tri.hd[j] = v
			} else if at := s.tri.pPos[e]; val[at] != v {
				val[at], changed = v, true
			}
		}
	}
	anyOff := slices.Contains(off[:s.n], true)
	for i := range s.m {
		lo, hi := s.at.ColPtr[i], s.at.ColPtr[i+1]
		row := val[s.tri.k.ColPtr[s.n+i]:][:hi-lo]
		if off[s.n+i] {
			clear(row)
			continue
		}
		if !anyOff && slices.Equal(row, s.at.Val[lo:hi]) {
			continue
		}
		copy(row, s.at.Val[lo:hi])
		changed = true
		if anyOff {
			for t, j := range s.at.RowIdx[lo:hi] {
				if off[j] {
					row[t] = 0
				}
			}
		}
	}
	s.by.off = slices.Contains(off, true)
	if changed {
		s.f.load(val, s.tri.sign)
		s.chooseProducts()
	}
}

// Factorise factors the loaded matrix with h added to the diagonal of H and g,
// negative, as the diagonal of the rows; d holds h and g. It reports how many
// pivots had to be replaced. When ctx ends, the error is ctx.Err().
func (s *System) Factorise(ctx context.Context, d []float64) (replaced int, err error) {
	return s.FactoriseAhead(ctx, d, nil)
}

// FactoriseAhead is Factorise, and begins to solve for the right-hand side b, which SolveAhead goes
// on with; nil for none.
func (s *System) FactoriseAhead(ctx context.Context, d, b []float64) (replaced int, err error) {
	own := s.tri.d[:s.n]
	for j, h := range s.tri.hd[:len(own)] {
		own[j] = h + d[j]
	}
	copy(s.tri.d[s.n:], d[s.n:][:s.m])
	s.ref.weighed = false
	if len(s.cones.blocks) > 0 {
		s.weigh()
		s.weighBlocks()
	}
	f, sparse := s.f.(whole)
	switch {
	case len(s.cones.blocks) == 0:
	case sparse && s.cones.behind:
		f.f.Reload(s.tri.k.ColPtr[s.n+s.m])
	default:
		s.f.load(s.tri.k.Val, s.tri.sign)
	}
	return s.f.factorise(ctx, s.outweighed(), ldl.Regularisation{Eps: pivotEps, Delta: pivotDelta}, b)
}

// Outweigh makes the factors that follow the factors of a matrix with by more on the diagonal, less
// where pivots are negative, in place of the matrix, which the accuracy of Solve is about. It
// reports whether it can: where semidefinite blocks are eliminated, and with the sparse strategy.
// Of a Schur complement without cancellation, by is relative to the diagonal.
func (s *System) Outweigh(by float64) bool {
	switch f := s.f.(type) {
	case *eliminated:
		f.more = by
	case whole:
		s.more = by
	default:
		return false
	}
	return true
}

// outweighed is the diagonal with more.
func (s *System) outweighed() []float64 {
	if s.more == 0 {
		return s.tri.d
	}
	if s.heavy == nil {
		s.heavy = make([]float64, len(s.tri.d))
	}
	for i, d := range s.tri.d {
		s.heavy[i] = d + float64(s.tri.sign[i])*s.more
	}
	return s.heavy
}

// FormExactly makes the factors that follow the factors of a Schur complement of semidefinite
// blocks without cancellation, or leaves that to its price. It reports whether they become so by
// that.
func (s *System) FormExactly(on bool) bool {
	e, ok := s.f.(*eliminated)
	return ok && e.exact.use(on)
}

// Exact reports whether the factors belong to a complement without cancellation.
func (s *System) Exact() bool {
	e, ok := s.f.(*eliminated)
	return ok && (e.exact.on || e.exact.always)
}

// Strategy is Sparse, Arrowhead or Schur, as chosen.
func (s *System) Strategy() Strategy {
	switch s.f.(type) {
	case *arrowhead:
		return Arrowhead
	case *eliminated:
		return Schur
	}
	return Sparse
}

// AddBoth adds A·x to ax and Aᵀ·y to aty, in the same way.
func (s *System) AddBoth(ax, aty, x, y []float64) {
	if s.by.both {
		s.addVectors(ax, aty, x, y)
	} else {
		s.at.AddMulBoth(aty, ax, y, x)
	}
}

// New analyses the pattern of H (upper triangle, n × n) and A (transposed, n × m), and chooses how
// to factor the matrix. It keeps both matrices: Load reads their values. Some rows, by ascending
// Start and disjoint, form blocks. With long dense ones the strategy is Sparse: components that
// hold matrices with eigenvalues far apart lose digits when they are eliminated first.
//
// Of semidefinite cones those are eliminated for which that takes fewer operations, with
// Schur all and with Sparse none; of a matrix variable, the variables with the rows.
//
// Where the matrix has the pattern of like, a System made with the same strategy, and a border, it
// is not analysed again; like may be nil.
func New(ctx context.Context, p, at *sparse.CSC, blocks []Block, how Strategy, like *System) (*System, error) {
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

// Size is the number of unknowns: variables, rows, and two for each expanded
// block, whose right-hand sides are zero.
func (s *System) Size() int { return len(s.tri.diag) }

// newFactor is the factor of the strategy, with the eliminated blocks.
func (s *System) newFactor(ctx context.Context, how Strategy, like *System) (factor, error) {
	if like != nil {
		if f, ok := like.f.(*arrowhead); ok && slices.Equal(s.tri.k.ColPtr, like.tri.k.ColPtr) &&
			slices.Equal(s.tri.k.RowIdx, like.tri.k.RowIdx) {
			return newArrowhead(s.tri.k, f.form), nil
		}
	}
	blocks := eliminations(s.cones.blocks, s.n, func(t int) bool { return s.cones.gone[t] })
	if blocks == nil {
		return newFactor(ctx, s.tri.k, how)
	}
	return newEliminated(ctx, s.tri.k, s.n, blocks)
}
