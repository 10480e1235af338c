package ccp

import "github.com/dcopt/dcopt/dc"

// room is where the coefficients of many rows lie one after the other.
type room struct {
	idx []int
	val []float64
}

const roomSize = 1 << 15

// cover is l − slack with stored zeros at the indices of idx, ascending, that l
// lacks.
func (r *room) cover(l dc.Linear, idx []int, slack int) dc.Linear {
	if most := len(l.Idx) + len(idx) + 1; cap(r.idx)-len(r.idx) < most {
		r.idx, r.val = make([]int, 0, max(most, roomSize)), make([]float64, 0, max(most, roomSize))
	}
	from := len(r.idx)
	at, val := r.idx[from:], r.val[from:]
	i := 0
	for _, j := range idx {
		for ; i < len(l.Idx) && l.Idx[i] < j; i++ {
			at, val = append(at, l.Idx[i]), append(val, l.Val[i])
		}
		v := 0.0
		if i < len(l.Idx) && l.Idx[i] == j {
			v = l.Val[i]
			i++
		}
		at, val = append(at, j), append(val, v)
	}
	at, val = append(at, l.Idx[i:]...), append(val, l.Val[i:]...)
	// The slack is one of the last columns.
	at, val = append(at, slack), append(val, -1)
	for k := len(at) - 1; k > 0 && at[k-1] > at[k]; k-- {
		at[k-1], at[k], val[k-1], val[k] = at[k], at[k-1], val[k], val[k-1]
	}
	r.idx, r.val = r.idx[:from+len(at)], r.val[:from+len(at)]
	return dc.Linear{Idx: at[:len(at):len(at)], Val: val[:len(val):len(val)], Const: l.Const}
}
