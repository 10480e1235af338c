package arrays

import "slices"

// triplets are entries of a sparse matrix in any order; those with one place are added.
type triplets struct {
	row, col []int // from 0
	val      []float64
}

func (t *triplets) add(i, j int, v float64) {
	t.row, t.col, t.val = append(t.row, i), append(t.col, j), append(t.val, v)
}

// compressed is the matrix of the entries. They are sorted by two stable counting
// sorts, by columns and then by rows.
func (t *triplets) compressed(rows, cols int) *Sparse {
	byCol, _ := counted(t.col, cols, nil)
	order, _ := counted(t.row, rows, byCol)
	out := &Sparse{Rows: rows, Cols: cols, Ptr: make([]int, 1, rows+1)}
	out.Idx, out.Val = make([]int, 0, len(order)), make([]float64, 0, len(order))
	for at := 0; len(out.Ptr) <= rows; {
		i := len(out.Ptr) - 1
		for at < len(order) && t.row[order[at]] == i {
			j, sum := t.col[order[at]], 0.0
			for ; at < len(order) && t.row[order[at]] == i && t.col[order[at]] == j; at++ {
				sum += t.val[order[at]]
			}
			if sum != 0 {
				out.Idx, out.Val = append(out.Idx, j), append(out.Val, sum)
			}
		}
		out.Ptr = append(out.Ptr, len(out.Idx))
	}
	return out
}

// counted sorts the places of keys below n, in the given order at first (nil: as they
// are), by key; ptr is where each key begins.
func counted(keys []int, n int, first []int) (order, ptr []int) {
	next := make([]int, n+2) // next[k+1] is the next place for key k
	for _, k := range keys {
		next[k+2]++
	}
	for k := range n {
		next[k+2] += next[k+1]
	}
	order = make([]int, len(keys))
	for p := range keys {
		if first != nil {
			p = first[p]
		}
		k := keys[p]
		order[next[k+1]] = p
		next[k+1]++
	}
	return order, next[:n+1]
}

// Full is the entries in row-major order, those that are not stored too.
func (m *Sparse) Full() []float64 {
	out := make([]float64, m.Rows*m.Cols)
	for i := range m.Rows {
		for p := m.Ptr[i]; p < m.Ptr[i+1]; p++ {
			out[i*m.Cols+m.Idx[p]] = m.Val[p]
		}
	}
	return out
}

// T is the transpose.
func (m *Sparse) T() *Sparse {
	order, ptr := counted(m.Idx, m.Cols, nil)
	out := &Sparse{Rows: m.Cols, Cols: m.Rows, Ptr: ptr, Idx: make([]int, len(order)), Val: make([]float64, len(order))}
	row := 0
	rows := make([]int, len(m.Idx))
	for p := range rows {
		for m.Ptr[row+1] <= p {
			row++
		}
		rows[p] = row
	}
	for k, p := range order {
		out.Idx[k], out.Val[k] = rows[p], m.Val[p]
	}
	return out
}

// Mul is the product m·o for as many columns of m as o has rows, row by row
// (Gustavson 1978).
func (m *Sparse) Mul(o *Sparse) *Sparse {
	out := &Sparse{Rows: m.Rows, Cols: o.Cols, Ptr: make([]int, 1, m.Rows+1)}
	sum, seen := make([]float64, o.Cols), make([]bool, o.Cols)
	var row []int
	for i := range m.Rows {
		row = row[:0]
		for p := m.Ptr[i]; p < m.Ptr[i+1]; p++ {
			for q := o.Ptr[m.Idx[p]]; q < o.Ptr[m.Idx[p]+1]; q++ {
				j := o.Idx[q]
				if !seen[j] {
					seen[j], row = true, append(row, j)
				}
				sum[j] += m.Val[p] * o.Val[q]
			}
		}
		slices.Sort(row)
		for _, j := range row {
			if sum[j] != 0 {
				out.Idx, out.Val = append(out.Idx, j), append(out.Val, sum[j])
			}
			sum[j], seen[j] = 0, false
		}
		out.Ptr = append(out.Ptr, len(out.Idx))
	}
	return out
}
