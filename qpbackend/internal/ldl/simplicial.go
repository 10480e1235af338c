package ldl

import (
	"context"

	"github.com/dcopt/dcopt/internal/poll"
)

// simplicial is L by columns, computed row by row.
type simplicial struct {
	ptr []int   // column j is val[ptr[j]:ptr[j+1]]
	row []int32 // row indices, ascending
	val []float64
	// The columns in which row k has entries, ascending, are
	// col[rptr[k]:rptr[k+1]]: the order in which row k is solved for.
	rptr []int
	col  []int32
	fill []int // entries of column j known so far
}

func newSimplicial(ctx context.Context, f *Factor) (*simplicial, error) {
	p := poll.New(ctx)
	n := f.n
	s := &simplicial{
		ptr: make([]int, n+1), row: make([]int32, f.nnz), val: make([]float64, f.nnz),
		rptr: make([]int, n+1), col: make([]int32, f.nnz), fill: make([]int, n),
	}
	for j := range n {
		s.ptr[j+1] = s.ptr[j] + int(f.count[j])
	}
	copy(s.fill, s.ptr)
	seen := make([]int32, n)
	for k := range n {
		seen[k] = int32(k)
		for _, i := range f.up.col(k) {
			for ; seen[i] != int32(k); i = f.parent[i] {
				seen[i] = int32(k)
				s.row[s.fill[i]] = int32(k)
				s.fill[i]++
				s.rptr[k+1]++
			}
		}
		if err := p.Err(s.rptr[k+1]); err != nil {
			return nil, err
		}
	}
	for k := range n {
		s.rptr[k+1] += s.rptr[k]
	}
	next := append([]int(nil), s.rptr[:n]...)
	for j := range n {
		for _, i := range s.row[s.ptr[j]:s.ptr[j+1]] {
			s.col[next[i]] = int32(j)
			next[i]++
		}
	}
	return s, nil
}

// factorise returns the pivot at which it failed, or −1, and ctx.Err() where ctx
// has ended.
func (s *simplicial) factorise(ctx context.Context, f *Factor, val []float64) (int, error) {
	work, rows := poll.New(ctx), 1+poll.Interval*f.n/(16*(1+int(f.flops))) // that are worth a look
	n, y := f.n, f.work
	copy(s.fill, s.ptr[:n])
	ptr, fill, row, lval, dinv := s.ptr[:n], s.fill[:n], s.row, s.val, f.dinv[:n]
	up, src := f.up.ptr, f.up.src
	for k := range n {
		lo, hi := up[k], up[k+1]
		places := src[lo:hi]
		for p, i := range f.up.idx[lo:hi] {
			y[i] = val[places[p]]
		}
		d := y[k]
		y[k] = 0
		for _, j := range s.col[s.rptr[k]:s.rptr[k+1]] {
			yj := y[j]
			y[j] = 0
			end := fill[j]
			lkj := 0.0
			if yj != 0 {
				for p := ptr[j]; p < end; p++ {
					y[row[p]] -= lval[p] * yj
				}
				lkj = yj * dinv[j]
				d -= yj * lkj
			}
			lval[end] = lkj
			fill[j] = end + 1
		}
		if f.expected(k, d) {
			f.d[k] = d
			dinv[k] = 1 / d
		} else if !f.pivot(k, d) {
			return k, nil
		}
		if k%rows == 0 {
			if err := work.Err(poll.Interval / 16); err != nil {
				return -1, err
			}
		}
	}
	return -1, nil
}

// solve overwrites x, in pivot order, by (L D Lᵀ)⁻¹x. Most columns have one to
// three entries: loops over indices cost a third less there than over slices.
func (s *simplicial) solve(f *Factor, x []float64) {
	ptr, row, val := s.ptr, s.row, s.val
	n := len(ptr) - 1
	x, dinv := x[:n], f.dinv[:n]
	lo := 0
	for j, hi := range ptr[1:] {
		if xj := x[j]; xj != 0 {
			for p := lo; p < hi; p++ {
				x[row[p]] -= val[p] * xj
			}
		}
		lo = hi
	}
	hi := ptr[n]
	for j := n - 1; j >= 0; j-- {
		lo := ptr[j]
		sum := x[j] * dinv[j]
		for p := lo; p < hi; p++ {
			sum -= val[p] * x[row[p]]
		}
		x[j] = sum
		hi = lo
	}
}
