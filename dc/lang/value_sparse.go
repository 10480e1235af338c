package lang

import (
	"slices"
	"sort"

	"github.com/dcopt/dcopt/internal/arrays"
)

// fromSparse is a sparse matrix.
func fromSparse(m *arrays.Sparse) value {
	return sparseOf([]int{m.Rows, m.Cols}, &sparseData{Sparse: m})
}

func sparseOf(shape []int, s *sparseData) value {
	return value{0, &cells{sort: sparseNumbers, shape: shape, more: &details{sparse: s}}}
}

// transposed is the transpose of a sparse matrix.
func (s *sparseData) transposed() *sparseData {
	if s.t == nil {
		s.t = &sparseData{Sparse: s.T(), t: s}
	}
	return s.t
}

// row is a row of a sparse matrix, as a vector.
func (s *sparseData) row(i int) value {
	from, to := s.Ptr[i], s.Ptr[i+1]
	r := &arrays.Sparse{Rows: 1, Cols: s.Cols, Ptr: []int{0, to - from}, Idx: s.Idx[from:to:to], Val: s.Val[from:to:to]}
	return sparseOf([]int{s.Cols}, &sparseData{Sparse: r})
}

// at is the entry in row i and column j.
func (s *sparseData) at(i, j int) float64 {
	from, to := s.Ptr[i], s.Ptr[i+1]
	if k := from + sort.SearchInts(s.Idx[from:to], j); k < to && s.Idx[k] == j {
		return s.Val[k]
	}
	return 0
}

// expanded are all entries, to be read only.
func (s *sparseData) expanded() []float64 {
	if s.full == nil {
		s.full = s.Full()
	}
	return s.full
}

// scaled is w times the entries.
func (s *sparseData) scaled(w float64) *sparseData {
	m := *s.Sparse
	m.Val = slices.Clone(m.Val)
	for k := range m.Val {
		m.Val[k] *= w
	}
	return &sparseData{Sparse: &m}
}
