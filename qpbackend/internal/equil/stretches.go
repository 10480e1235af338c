package equil

import (
	"math"
	"sort"

	"github.com/dcopt/dcopt/qpbackend/internal/cpu"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Rows of a dense block have their entries in neighbouring columns. Where such
// stretches are long, wide registers serve.

// leastStretch is the mean length from which stretches pay.
const leastStretch = 8

// stretched reports whether a pass by stretches pays, and remembers it: the
// pattern of at is the same in every call.
func (s *Scaling) stretched(at *sparse.CSC) bool {
	if !s.asked {
		s.asked = true
		left := 0
		if cpu.Wide() {
			left = at.NNZ() / leastStretch
		}
		for i := 0; i < at.Cols && left > 0; i++ {
			for idx := at.RowIdx[at.ColPtr[i]:at.ColPtr[i+1]]; len(idx) > 0; left-- {
				idx = idx[stretch(idx):]
			}
		}
		s.long = left > 0
	}
	return s.long
}

// stretch is the number of first entries that follow each other without a gap in
// idx, which ascends.
func stretch(idx []int) int {
	n := len(idx)
	if idx[n-1]-idx[0] == n-1 {
		return n
	}
	if idx[1]-idx[0] > 1 {
		return 1
	}
	return sort.Search(n-1, func(k int) bool { return idx[k+1]-idx[0] > k+1 }) + 1
}

// stretchedNorms is scaledNorms by stretches.
func (s *Scaling) stretchedNorms(p, at *sparse.CSC) {
	clear(s.d)
	for j := range p.Cols {
		for k := p.ColPtr[j]; k < p.ColPtr[j+1]; k++ {
			i := p.RowIdx[k]
			v := math.Abs(p.Val[k]) * s.D[i] * s.D[j]
			s.d[i], s.d[j] = max(s.d[i], v), max(s.d[j], v)
		}
	}
	for i, scale := range s.E {
		top := 0.0
		for lo, hi := at.ColPtr[i], at.ColPtr[i+1]; lo < hi; {
			j, n := at.RowIdx[lo], stretch(at.RowIdx[lo:hi])
			top = max(top, wideNorms(&at.Val[lo], &s.D[j], &s.d[j], scale, n))
			lo += n
		}
		s.e[i] = top
	}
}

// stretchedRows is Rows by stretches.
func (s *Scaling) stretchedRows(at *sparse.CSC) {
	for i, scale := range s.E {
		for lo, hi := at.ColPtr[i], at.ColPtr[i+1]; lo < hi; {
			j, n := at.RowIdx[lo], stretch(at.RowIdx[lo:hi])
			wideScale(&at.Val[lo], &s.D[j], scale, n)
			lo += n
		}
	}
}
