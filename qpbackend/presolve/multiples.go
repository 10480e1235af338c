package presolve

import (
	"cmp"
	"math"
	"slices"
)

// multiples merges rows that are multiples of one another. It reports whether
// there were any.
func (r *reduction) multiples() bool {
	t := r.byRow
	type pattern struct {
		hash uint64
		row  int
	}
	var all []pattern
	for i, alive := range r.rowAlive {
		if !alive || r.rowLen[i] < 2 {
			continue
		}
		hash := uint64(14695981039346656037) // FNV-1a over the columns
		for k := t.ColPtr[i]; k < t.ColPtr[i+1]; k++ {
			if j := t.RowIdx[k]; r.colAlive[j] && t.Val[k] != 0 {
				hash = (hash ^ uint64(j)) * 1099511628211
			}
		}
		all = append(all, pattern{hash, i})
	}
	slices.SortFunc(all, func(a, b pattern) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.row, b.row))
	})
	before := len(r.stack)
	var rows []int
	for k := 0; k < len(all); {
		rows = rows[:0]
		for hash := all[k].hash; k < len(all) && all[k].hash == hash; k++ {
			rows = append(rows, all[k].row)
		}
		if len(rows) > 1 {
			r.mergeGroup(rows)
		}
	}
	return len(r.stack) > before
}

// compared bounds the rows of one pattern that are compared with each other.
// Source: a limit of time: comparisons grow with its square.
const compared = 50

func (r *reduction) mergeGroup(rows []int) {
	for n, k := range rows {
		for _, i := range rows[max(0, n-compared):n] {
			if !r.rowAlive[i] || r.proof != nil || r.ended(r.rowLen[k]) {
				continue
			}
			if s, ok := r.ratio(k, i); ok {
				r.merge(k, i, s)
				break
			}
		}
	}
}

// ratio is s with row k = s·row i.
func (r *reduction) ratio(k, i int) (s float64, ok bool) {
	t := r.byRow
	a, aEnd, b, bEnd := t.ColPtr[k], t.ColPtr[k+1], t.ColPtr[i], t.ColPtr[i+1]
	next := func(at, end int) int {
		for at < end && (!r.colAlive[t.RowIdx[at]] || t.Val[at] == 0) {
			at++
		}
		return at
	}
	for {
		a, b = next(a, aEnd), next(b, bEnd)
		if a == aEnd || b == bEnd {
			return s, a == aEnd && b == bEnd && s != 0
		}
		if t.RowIdx[a] != t.RowIdx[b] {
			return 0, false
		}
		if s == 0 {
			s = t.Val[a] / t.Val[b]
		} else if math.Abs(t.Val[a]-s*t.Val[b]) > sameTol*math.Abs(t.Val[a]) {
			return 0, false
		}
		a, b = a+1, b+1
	}
}

// merge leaves out row k = s·row i and gives row i the tighter sides.
func (r *reduction) merge(k, i int, s float64) {
	st := step{kind: multiple, row: k, other: i, a: s}
	lo, hi, y := st.within(r.now.L[k], r.now.U[k], r.now.L[i], r.now.U[i])
	if y != 0 {
		r.proof = []multiplier{{row: i, y: -y}, {row: k, y: y / s}}
		return
	}
	r.now.L[i], r.now.U[i] = lo, hi
	r.rowAlive[k] = false
	r.stack = append(r.stack, st)
	r.push(i)
}
