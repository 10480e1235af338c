package subproblem

import (
	"slices"

	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// compress is the rows as a matrix, zeros kept. Rows fill the columns in order, so
// one pass is enough. The cuts, in the order of their rows, learn where the
// coefficients of their h stand.
func (b *Builder) compress(cuts []Cut) *sparse.CSC {
	rows, cols := b.Rows, b.Cols
	a := &sparse.CSC{Rows: len(rows), Cols: cols, ColPtr: make([]int, cols+1)}
	count := a.ColPtr[1:]
	for i := range rows {
		r := &rows[i]
		b.work(len(r.A.Idx))
		for _, j := range r.A.Idx {
			count[j]++
		}
		for _, j := range r.zeros {
			count[j]++
		}
	}
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
	for i := range rows {
		r := &rows[i]
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
			e := next[j]
			a.RowIdx[e], a.Val[e], next[j] = i, r.A.Val[k], e+1
		}
		for _, j := range r.zeros {
			e := next[j]
			a.RowIdx[e], next[j] = i, e+1
		}
	}
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
