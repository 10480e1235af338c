package qpbackend

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Prepare is the first step of New of every backend: it refuses settings out of
// range, a problem that Validate refuses, a cone without support and a context
// that has ended, and returns a copy of p that lacks nothing: P and A are
// matrices, Lo and Hi have length n.
func Prepare(ctx context.Context, b Backend, p *Problem, set Settings) (*Problem, error) {
	if p == nil {
		return nil, errors.New("qpbackend: the problem is nil")
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return prepare(ctx, b, p, set, (*Problem).Clone)
}

// PrepareValues is Prepare for callers who answer for the problem, which is not validated, and do
// not change the patterns of P and A: the copy shares them.
func PrepareValues(ctx context.Context, b Backend, p *Problem, set Settings) (*Problem, error) {
	return prepare(ctx, b, p, set, (*Problem).CloneValues)
}

func prepare(ctx context.Context, b Backend, p *Problem, set Settings,
	clone func(*Problem) *Problem) (*Problem, error) {
	if err := set.Validate(); err != nil {
		return nil, err
	}
	if err := CheckCones(b, p); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p = clone(p)
	n, m := p.Dims()
	if p.P == nil {
		p.P = sparse.Zero(n, n)
	}
	if p.A == nil {
		p.A = sparse.Zero(m, n)
	}
	for len(p.Lo) < n {
		p.Lo = append(p.Lo, math.Inf(-1))
	}
	for len(p.Hi) < n {
		p.Hi = append(p.Hi, math.Inf(1))
	}
	return p, nil
}

// CheckStart refuses a warm start of p by its lengths, which may be zero for
// nil, or for an entry that is no finite number.
func (p *Problem) CheckStart(x, y, z []float64) error {
	n, m := p.Dims()
	for _, part := range [...]struct {
		name string
		v    []float64
		want int
	}{{"warm start x", x, n}, {"warm start y", y, m}, {"warm start z", z, n}} {
		if part.v != nil && len(part.v) != part.want {
			return fmt.Errorf("qpbackend: %s has length %d, want %d", part.name, len(part.v), part.want)
		}
		if err := finite(part.name, part.v); err != nil {
			return err
		}
	}
	return nil
}

// BoundsAsRows states p without bounds of variables, for solvers that know rows
// alone: behind the rows of p there is one of the unit matrix for each variable
// of cols, those with a bound, ascending. A multiplier of such a row belongs to
// the variable's bounds.
func (p *Problem) BoundsAsRows() (rows *Problem, cols []int) {
	n, m := p.Dims()
	rows = p.Clone()
	rows.Lo, rows.Hi = nil, nil
	a := &sparse.CSC{Cols: n, ColPtr: make([]int, 1, n+1)}
	for j := range n {
		if p.A != nil {
			a.RowIdx = append(a.RowIdx, p.A.RowIdx[p.A.ColPtr[j]:p.A.ColPtr[j+1]]...)
			a.Val = append(a.Val, p.A.Val[p.A.ColPtr[j]:p.A.ColPtr[j+1]]...)
		}
		if lo, hi := p.Bounds(j); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
			a.RowIdx, a.Val = append(a.RowIdx, m+len(cols)), append(a.Val, 1)
			rows.L, rows.U = append(rows.L, lo), append(rows.U, hi)
			cols = append(cols, j)
		}
		a.ColPtr = append(a.ColPtr, len(a.RowIdx))
	}
	a.Rows = len(rows.L)
	rows.A = a
	return rows, cols
}
