package sparse

import "slices"

// Triplets collects entries in any order. The zero value is ready for use.
type Triplets struct {
	i, j []int
	v    []float64
}

// Len is the number of entries added so far.
func (t *Triplets) Len() int { return len(t.v) }

// Add appends the entry (i, j) and returns its number, from 0. Zeros are kept.
func (t *Triplets) Add(i, j int, v float64) int {
	t.i, t.j, t.v = append(t.i, i), append(t.j, j), append(t.v, v)
	return len(t.v) - 1
}

// Entry is entry number k, 0 ≤ k < Len, as it was added.
func (t *Triplets) Entry(k int) (i, j int, v float64) { return t.i[k], t.j[k], t.v[k] }

// Grow makes room for n more entries.
func (t *Triplets) Grow(n int) {
	t.i, t.j, t.v = slices.Grow(t.i, n), slices.Grow(t.j, n), slices.Grow(t.v, n)
}

// CSC compresses the entries into a rows × cols matrix. Entry number k went to
// Val[pos[k]]; entries of one place share it and are summed. It panics when an
// entry lies outside.
func (t *Triplets) CSC(rows, cols int) (m *CSC, pos []int) {
	// Two stable counting sorts, by row and then by column, order the entries.
	byRow := countingSort(t.i, rows, nil)
	order := countingSort(t.j, cols, byRow)
	m = &CSC{Rows: rows, Cols: cols, ColPtr: make([]int, cols+1)}
	m.RowIdx = make([]int, 0, len(order))
	m.Val = make([]float64, 0, len(order))
	pos = make([]int, len(order))
	lastI, lastJ := -1, -1
	for _, k := range order {
		if t.i[k] != lastI || t.j[k] != lastJ {
			lastI, lastJ = t.i[k], t.j[k]
			m.RowIdx, m.Val = append(m.RowIdx, lastI), append(m.Val, 0)
			m.ColPtr[lastJ+1]++
		}
		pos[k] = len(m.Val) - 1
		m.Val[pos[k]] += t.v[k]
	}
	for j := range cols {
		m.ColPtr[j+1] += m.ColPtr[j]
	}
	return m, pos
}

// countingSort returns the permutation that sorts key stably, starting from
// the order given (nil: as they stand).
func countingSort(key []int, n int, order []int) []int {
	count := make([]int, n+1)
	for _, k := range key {
		count[k+1]++
	}
	for i := range n {
		count[i+1] += count[i]
	}
	out := make([]int, len(key))
	put := func(e int) {
		out[count[key[e]]] = e
		count[key[e]]++
	}
	if order == nil {
		for e := range key {
			put(e)
		}
	} else {
		for _, e := range order {
			put(e)
		}
	}
	return out
}
