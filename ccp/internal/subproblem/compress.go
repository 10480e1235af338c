package subproblem

import (
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/rows"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// compress is the rows as a matrix, zeros kept. Rows fill the columns in order, so
// one pass is enough. The cuts, in the order of their rows, learn where the
// coefficients of their h stand.
func (b *Builder) compress(cuts []Cut) *sparse.CSC {
	cols := b.Cols
	a := &sparse.CSC{Rows: b.Rows.Count(), Cols: cols, ColPtr: make([]int, cols+1)}
	count := a.ColPtr[1:]
	var idx []int
	var val []float64
	b.Rows.Each(func(_ int, r *rows.Row) {
		b.work(len(r.A.Idx))
		for _, j := range r.A.Idx {
			count[j]++
		}
		for _, j := range r.Zeros {
			count[j]++
		}
	}, func(_ int, f *rows.Family, k int) {
		idx, val = f.Entries(idx[:0], val[:0], k)
		b.work(len(idx))
		for _, j := range idx {
			count[j]++
		}
	})
	for j := range cols {
		a.ColPtr[j+1] += a.ColPtr[j]
	}
	nnz, places := a.ColPtr[cols], 0
	a.RowIdx, a.Val = make([]int, nnz), make([]float64, nnz)
	for k := range cuts {
		places += len(cuts[k].Idx)
	}
	slots := make([]int, places)
	located := cuts
	next := slices.Clone(a.ColPtr[:cols])
	put := func(i, j int, v float64) {
		e := next[j]
		a.RowIdx[e], a.Val[e], next[j] = i, v, e+1
	}
	b.Rows.Each(func(i int, r *rows.Row) {
		b.work(len(r.A.Idx))
		if len(cuts) > 0 && cuts[0].Row == i {
			// Each column has one entry more once the row is in.
			c := &cuts[0]
			c.Slot, slots, cuts = slots[:len(c.Idx)], slots[len(c.Idx):], cuts[1:]
			for k, j := range c.Idx {
				c.Slot[k] = next[j]
			}
		}
		for k, j := range r.A.Idx {
			put(i, j, r.A.Val[k])
		}
		for _, j := range r.Zeros {
			put(i, j, 0)
		}
	}, func(i int, f *rows.Family, k int) {
		idx, val = f.Entries(idx[:0], val[:0], k)
		b.work(len(idx))
		f.Locate(k, idx, next)
		for t, j := range idx {
			put(i, j, val[t])
		}
	})
	for k := range located {
		c := &located[k]
		for i := range c.base {
			c.base[i] = a.Val[c.Slot[i]]
		}
	}
	return a
}

// lacking are the entries of idx that are not in have; both ascend.
func lacking(idx, have []int) []int {
	if len(idx) == 0 || len(have) == 0 {
		return idx
	}
	if k, found := slices.BinarySearch(have, idx[0]); !found && (k == len(have) || idx[len(idx)-1] < have[k]) {
		return idx
	}
	var out []int
	for _, j := range idx {
		for len(have) > 0 && have[0] < j {
			have = have[1:]
		}
		if len(have) == 0 || have[0] != j {
			out = append(out, j)
		}
	}
	return out
}
