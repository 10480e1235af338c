package kkt

import (
	"context"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/enum"
	"github.com/dcopt/dcopt/internal/matrix"
	"github.com/dcopt/dcopt/qpbackend/internal/amd"
	"github.com/dcopt/dcopt/qpbackend/internal/dissect"
	"github.com/dcopt/dcopt/qpbackend/internal/ldl"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Strategy is a way to factor the matrix.
type Strategy uint8

// The strategies. Their solutions differ by rounding.
const (
	// Auto takes the one with fewer operations, by the pattern.
	Auto Strategy = iota
	// Sparse factors the matrix as a whole, in a fill-reducing order.
	Sparse
	// Arrowhead takes a few dense rows and columns out, factors the small
	// components that are left, and a dense matrix of the size of the border.
	// Where the matrix has no such form it is Sparse.
	Arrowhead
	// Schur eliminates the rows of all semidefinite cones; the other rows as Sparse.
	Schur
	numStrategy
)

var strategyText = [numStrategy]string{"auto", "sparse", "arrowhead", "schur"}

// String is the name in lower case, such as "sparse".
func (s Strategy) String() string { return enum.String(s, "Strategy", strategyText[:]) }

// ParseStrategy is the inverse of String.
func ParseStrategy(name string) (Strategy, error) {
	return enum.Parse[Strategy](name, "kkt: no strategy", strategyText[:])
}

// factor is a factorisation of one matrix pattern.
type factor interface {
	// load says that values off the diagonal, or the signs of pivots, have changed.
	load(val []float64, sign []int8)
	// factorise is given the diagonal; values off it are those of the last load. It may begin to
	// solve for the right-hand side b, nil for none.
	factorise(ctx context.Context, diag []float64, reg ldl.Regularisation, b []float64) (replaced int, err error)
	// solve sets x to the solution for the right-hand side b.
	solve(x, b []float64)
	// work is about the multiplications of a factorisation and the solves of an iteration.
	work() float64
	// ahead is solve where the factorisation may have begun with b.
	ahead(x, b []float64)
}

// whole is the sparse strategy.
type whole struct{ f *ldl.Factor }

func (w whole) load(val []float64, sign []int8) { w.f.Load(val, sign) }

func (w whole) factorise(ctx context.Context, diag []float64, reg ldl.Regularisation, b []float64) (int, error) {
	return w.f.Refactor(ctx, diag, reg, b)
}

func (w whole) solve(x, b []float64) { w.f.SolveTo(x, b) }

func (w whole) work() float64 { return inBlocks*w.f.Flops()/2 + entryOfL*float64(w.f.NNZ()) }

func (w whole) ahead(x, _ []float64) { w.f.SolveAhead(x) }

// Source: limits of time: of .1 ms and 10 ms of a factorisation, and of .1 s of an analysis;
// docs/lab/bench.md, Sparse or arrowhead.
const (
	leastWork = 4e4     // in units of partition.work: below it no partition is sought
	muchWork  = 1e7     // and where a guess has to do
	large     = 300_000 // entries of a matrix whose sparse analysis takes long
)

// newFactor looks for a border where the sparse strategy has much to do; of a
// large matrix, before it finds out.
func newFactor(ctx context.Context, k *sparse.CSC, how Strategy) (factor, error) {
	var p *partition
	if how == Arrowhead || how == Auto && k.NNZ() > large {
		p = findArrowhead(k, how == Arrowhead)
		if p != nil && (how == Arrowhead || p.sparse > muchWork && p.work < p.sparse) {
			return newArrowhead(k, p), nil
		}
	}
	perm, err := amd.Order(ctx, k.Cols, k.ColPtr, k.RowIdx)
	if err != nil {
		return nil, err
	}
	f, err := ldl.Count(ctx, k, perm)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && p == nil {
		return nil, err
	}
	if how == Auto {
		if p == nil && f.Flops()/2 > max(leastWork, fewOperations*float64(k.NNZ())) {
			p = findArrowhead(k, false)
		}
		if p != nil && (err != nil || p.work < f.Flops()/2+entryOfL*float64(f.NNZ())) {
			return newArrowhead(k, p), nil
		}
	}
	if f, err = dissect.Better(ctx, k, f); err != nil {
		return nil, err
	}
	return whole{f}, f.Store(ctx)
}

func newArrowhead(k *sparse.CSC, p *partition) *arrowhead {
	comps, nc := len(p.compPtr)-1, len(p.border)
	f := &arrowhead{
		form: p, wide: vectors(cpu.Wide()), rows: coupled{vectors: make([]int32, comps)},
		comp: components{tPtr: make([]int32, comps+1), order: make([]int32, len(p.nodes)),
			rank: make([]int32, len(p.nodes)), d: make([]float64, len(p.nodes))},
		schur: complement{s: make([]float64, nc*nc), sd: make([]float64, nc), factors: make([]float64, nc)},
		room: workspace{product: matrix.NewProduct(), r: make([]float64, nc), rx: make([]float64, nc),
			rv: make([]float64, nc)},
	}
	for c := range comps {
		size := p.compPtr[c+1] - p.compPtr[c]
		f.comp.tPtr[c+1] = f.comp.tPtr[c] + size*size
	}
	f.comp.t, f.comp.off = make([]float64, f.comp.tPtr[comps]), make([]float64, f.comp.tPtr[comps])
	f.sources(k)
	f.couple(p)
	f.chunk()
	f.pairs.find(f)
	return f
}
