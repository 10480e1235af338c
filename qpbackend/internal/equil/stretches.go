package equil

import (
	"math"
	"sort"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/simd"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Rows of a dense block have their entries in neighbouring columns. Where such
// stretches are long, wide registers serve.

// leastStretch is the mean length from which stretches pay.
// Source: derived: two registers of four entries, a head and a tail included.
const leastStretch = 8

// stretched reports whether a pass by stretches pays. They are found once: the
// pattern of at is the same in every call.
func (s *Scaling) stretched(at *sparse.CSC) bool {
	if !s.asked {
		s.asked = true
		if cpu.Wide() && at.NNZ() < math.MaxInt32 {
			s.findStretches(at)
		}
	}
	return len(s.ends) > 0
}

// findStretches finds the stretches, if they are long.
func (s *Scaling) findStretches(at *sparse.CSC) {
	most := at.NNZ() / leastStretch
	for i := range at.Cols {
		for lo, hi := at.ColPtr[i], at.ColPtr[i+1]; lo < hi; {
			if len(s.ends) == most {
				s.ends = nil
				return
			}
			lo += stretch(at.RowIdx[lo:hi])
			s.ends = append(s.ends, int32(lo))
		}
	}
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
	lo, ends := 0, s.ends
	for i, scale := range s.E {
		top := 0.0
		for ; lo < at.ColPtr[i+1]; ends = ends[1:] {
			j, n := at.RowIdx[lo], int(ends[0])-lo
			if n == 1 {
				v := scale * math.Abs(at.Val[lo]) * s.D[j]
				top, s.d[j] = max(top, v), max(s.d[j], v)
			} else {
				top = max(top, simd.ScaledNorms(&at.Val[lo], &s.D[j], &s.d[j], scale, n))
			}
			lo += n
		}
		s.e[i] = top
	}
}

// stretchedRows is Rows by stretches.
func (s *Scaling) stretchedRows(at *sparse.CSC) {
	lo, ends := 0, s.ends
	for i, scale := range s.E {
		for ; lo < at.ColPtr[i+1]; ends = ends[1:] {
			j, n := at.RowIdx[lo], int(ends[0])-lo
			val := at.Val[lo:][:n]
			for k, d := range s.D[j:][:n] {
				val[k] *= scale * d
			}
			lo += n
		}
	}
}
