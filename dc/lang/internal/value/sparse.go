package value

import (
	"slices"
	"sort"

	"github.com/dcopt/dcopt/internal/arrays"
)

func SparseOf(shape []int, s *SparseData) Value {
	return Value{0, &Cells{Sort: SparseNumbers, Shape: shape, More: &details{Sparse: s}}}
}

// Transposed is the transpose of a sparse matrix.
func (s *SparseData) Transposed() *SparseData {
	if s.t == nil {
		s.t = &SparseData{Sparse: s.T(), t: s}
	}
	return s.t
}

// Row is a row of a sparse matrix, as a vector.
func (s *SparseData) Row(i int) Value {
	from, to := s.Ptr[i], s.Ptr[i+1]
	r := &arrays.Sparse{Rows: 1, Cols: s.Cols, Ptr: []int{0, to - from}, Idx: s.Idx[from:to:to], Val: s.Val[from:to:to]}
	return SparseOf([]int{s.Cols}, &SparseData{Sparse: r})
}

// At is the entry in row i and column j.
func (s *SparseData) At(i, j int) float64 {
	from, to := s.Ptr[i], s.Ptr[i+1]
	if k := from + sort.SearchInts(s.Idx[from:to], j); k < to && s.Idx[k] == j {
		return s.Val[k]
	}
	return 0
}

// Expanded are all entries, to be read only.
func (s *SparseData) Expanded() []float64 {
	if s.Entries == nil {
		s.Entries = s.Full()
	}
	return s.Entries
}

// Scaled is w times the entries.
func (s *SparseData) Scaled(w float64) *SparseData {
	m := *s.Sparse
	m.Val = slices.Clone(m.Val)
	for k := range m.Val {
		m.Val[k] *= w
	}
	return &SparseData{Sparse: &m}
}
