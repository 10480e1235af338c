package sparse

import (
	"fmt"
	"math"
)

// CSC is a matrix in compressed sparse column form. Column j holds the entries
// k in [ColPtr[j], ColPtr[j+1]): value Val[k] in row RowIdx[k]. Row indices
// ascend strictly within a column. A stored zero is an entry of the pattern
// like any other.
type CSC struct {
	Rows, Cols int
	ColPtr     []int // length Cols+1
	RowIdx     []int
	Val        []float64
}

// Zero returns the rows × cols matrix without entries.
func Zero(rows, cols int) *CSC {
	return &CSC{Rows: rows, Cols: cols, ColPtr: make([]int, cols+1)}
}

// Identity returns the n × n unit matrix.
func Identity(n int) *CSC {
	m := &CSC{Rows: n, Cols: n, ColPtr: make([]int, n+1), RowIdx: make([]int, n), Val: make([]float64, n)}
	for j := range n {
		m.ColPtr[j+1], m.RowIdx[j], m.Val[j] = j+1, j, 1
	}
	return m
}

// NNZ is the number of stored entries.
func (m *CSC) NNZ() int { return m.ColPtr[m.Cols] }

// Clone returns a deep copy.
func (m *CSC) Clone() *CSC {
	c := *m
	c.ColPtr = append([]int(nil), m.ColPtr...)
	c.RowIdx = append([]int(nil), m.RowIdx...)
	c.Val = append([]float64(nil), m.Val...)
	return &c
}

// Validate reports the first place where m breaks the rules of CSC, a NaN or
// infinite value included.
func (m *CSC) Validate() error {
	if m.Rows < 0 || m.Cols < 0 {
		return fmt.Errorf("sparse: matrix is %d × %d", m.Rows, m.Cols)
	}
	if len(m.ColPtr) != m.Cols+1 || m.ColPtr[0] != 0 {
		return fmt.Errorf("sparse: ColPtr has length %d and must have %d, from 0", len(m.ColPtr), m.Cols+1)
	}
	for j := range m.Cols {
		if m.ColPtr[j+1] < m.ColPtr[j] {
			return fmt.Errorf("sparse: ColPtr descends at column %d", j)
		}
	}
	nnz := m.ColPtr[m.Cols]
	if len(m.RowIdx) != nnz || len(m.Val) != nnz {
		return fmt.Errorf("sparse: %d row indices and %d values for %d entries", len(m.RowIdx), len(m.Val), nnz)
	}
	idx, val := m.RowIdx, m.Val[:nnz]
	lo := 0
	for j, hi := range m.ColPtr[1:] {
		prev := -1
		for k := lo; k < hi; k++ {
			i := idx[k]
			if i <= prev || i >= m.Rows {
				return fmt.Errorf("sparse: column %d: row index %d after %d in a matrix of %d rows", j, i, prev, m.Rows)
			}
			if v := val[k]; !(math.Abs(v) <= math.MaxFloat64) {
				return fmt.Errorf("sparse: entry (%d, %d) is %g", i, j, v)
			}
			prev = i
		}
		lo = hi
	}
	return nil
}

// At returns entry (i, j), zero where none is stored. Time is linear in the
// column's length.
func (m *CSC) At(i, j int) float64 {
	for k := m.ColPtr[j]; k < m.ColPtr[j+1]; k++ {
		if m.RowIdx[k] == i {
			return m.Val[k]
		}
	}
	return 0
}

// AddMulVec adds α·m·x to dst. len(x) = Cols, len(dst) = Rows.
func (m *CSC) AddMulVec(dst []float64, α float64, x []float64) {
	for j, xj := range x[:m.Cols] {
		if xj == 0 {
			continue
		}
		s := α * xj
		lo, hi := m.ColPtr[j], m.ColPtr[j+1]
		idx, val := m.RowIdx[lo:hi], m.Val[lo:hi]
		for k, i := range idx {
			dst[i] += s * val[k]
		}
	}
}

// AddMulVecT adds α·mᵀ·y to dst. len(y) = Rows, len(dst) = Cols.
func (m *CSC) AddMulVecT(dst []float64, α float64, y []float64) {
	for j := range m.Cols {
		lo, hi := m.ColPtr[j], m.ColPtr[j+1]
		idx, val := m.RowIdx[lo:hi], m.Val[lo:hi]
		s := 0.0
		for k, i := range idx {
			s += val[k] * y[i]
		}
		dst[j] += α * s
	}
}

// AddSymMulVec adds α·S·x to dst, where S is the symmetric matrix whose upper
// triangle m holds.
func (m *CSC) AddSymMulVec(dst []float64, α float64, x []float64) {
	idx, val := m.RowIdx, m.Val
	lo, dst, x := 0, dst[:m.Cols], x[:m.Cols]
	for j, hi := range m.ColPtr[1:][:m.Cols] {
		k := hi - 1
		if k < lo {
			continue
		}
		xj := α * x[j]
		if idx[k] == j { // the diagonal is the last of its column
			dst[j] += val[k] * xj
		} else {
			k++
		}
		if k > lo {
			s, val := 0.0, val[lo:k]
			for e, i := range idx[lo:k] {
				dst[i] += val[e] * xj
				s += val[e] * x[i]
			}
			dst[j] += α * s
		}
		lo = hi
	}
}

// Transpose returns mᵀ and, for each entry of mᵀ, its position in m.Val.
func (m *CSC) Transpose() (t *CSC, from []int) {
	nnz := m.NNZ()
	t = &CSC{Rows: m.Cols, Cols: m.Rows, ColPtr: make([]int, m.Rows+1), RowIdx: make([]int, nnz),
		Val: make([]float64, nnz)}
	from = make([]int, nnz)
	for _, i := range m.RowIdx[:nnz] {
		t.ColPtr[i+1]++
	}
	for i := range m.Rows {
		t.ColPtr[i+1] += t.ColPtr[i]
	}
	next := append([]int(nil), t.ColPtr[:m.Rows]...)
	for j := range m.Cols {
		for k := m.ColPtr[j]; k < m.ColPtr[j+1]; k++ {
			p := next[m.RowIdx[k]]
			next[m.RowIdx[k]]++
			t.RowIdx[p], t.Val[p], from[p] = j, m.Val[k], k
		}
	}
	return t, from
}

// IsUpper reports whether m is square with all entries on or above the
// diagonal.
func (m *CSC) IsUpper() bool {
	if m.Rows != m.Cols {
		return false
	}
	for j := range m.Cols {
		if hi := m.ColPtr[j+1]; hi > m.ColPtr[j] && m.RowIdx[hi-1] > j {
			return false
		}
	}
	return true
}

// AddMulBoth adds A·x to ax and Aᵀ·y to aty, in one pass over A.
func (m *CSC) AddMulBoth(ax, aty, x, y []float64) {
	idx, val := m.RowIdx, m.Val
	lo, aty, x := 0, aty[:m.Cols], x[:m.Cols]
	for j, hi := range m.ColPtr[1:][:m.Cols] {
		xj, sum := x[j], 0.0
		val := val[lo:hi]
		for k, i := range idx[lo:hi] {
			ax[i] += val[k] * xj
			sum += val[k] * y[i]
		}
		aty[j] += sum
		lo = hi
	}
}
