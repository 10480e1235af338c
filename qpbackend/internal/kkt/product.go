package kkt

import (
	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// runs holds A by rows, in stretches of neighbouring columns without zeros. For
// long rows products with it take half the time of those with a CSC matrix, and
// less where many values are zero.
type runs struct {
	rowPtr []int32 // the stretches of each row
	col    []int32 // first column of each
	valPtr []int32 // its values
	val    []float64
	wide   vectors
}

// leastRun is the mean length from which stretches pay.
// Source: a limit of speed: one register of four entries, and one more.
const leastRun = 5

// stretches is their number in the pattern.
func stretches(at *sparse.CSC) int {
	count := 0
	for i := range at.Cols {
		next := -1
		for _, j := range at.RowIdx[at.ColPtr[i]:at.ColPtr[i+1]] {
			if j != next {
				count++
			}
			next = j + 1
		}
	}
	return count
}

// newRuns returns nil where the stretches of the pattern are too short on
// average.
func newRuns(at *sparse.CSC) *runs {
	nnz, count := at.NNZ(), stretches(at)
	if nnz < count*leastRun {
		return nil
	}
	// Zeros cut a stretch of d entries into at most (d+1)/2.
	most := (nnz + count) / 2
	return &runs{
		rowPtr: make([]int32, at.Cols+1), col: make([]int32, most),
		valPtr: make([]int32, most+1), val: make([]float64, nnz),
		wide: vectors(cpu.Wide()),
	}
}

// load takes over the values of at, the transpose of A.
func (r *runs) load(at *sparse.CSC) {
	count, filled := int32(0), int32(0)
	for i := range at.Cols {
		next := -1
		for k := at.ColPtr[i]; k < at.ColPtr[i+1]; k++ {
			v, j := at.Val[k], at.RowIdx[k]
			if v == 0 {
				continue
			}
			if j != next {
				r.col[count], r.valPtr[count] = int32(j), filled
				count++
			}
			r.val[filled] = v
			filled++
			next = j + 1
		}
		r.rowPtr[i+1] = count
	}
	r.valPtr[count] = filled
}

// addMulVec adds α·A·x to dst.
func (r *runs) addMulVec(dst []float64, α float64, x []float64) {
	for i := range len(r.rowPtr) - 1 {
		s := 0.0
		for k := r.rowPtr[i]; k < r.rowPtr[i+1]; k++ {
			s += r.wide.dot(r.val[r.valPtr[k]:r.valPtr[k+1]], x[r.col[k]:])
		}
		dst[i] += α * s
	}
}

// addBoth adds α·A·x to ax and α·Aᵀ·y to aty, in one pass over the matrix.
func (r *runs) addBoth(ax, aty []float64, α float64, x, y []float64) {
	for i := range len(r.rowPtr) - 1 {
		s, z := 0.0, α*y[i]
		for k := r.rowPtr[i]; k < r.rowPtr[i+1]; k++ {
			s += r.wide.dotAxpy(r.val[r.valPtr[k]:r.valPtr[k+1]], x[r.col[k]:], aty[r.col[k]:], z)
		}
		ax[i] += α * s
	}
}

// AddAx adds A·x to dst, with the values of the last Load, off or not.
func (s *System) AddAx(dst, x []float64) {
	if s.runs != nil && !s.both {
		s.runs.addMulVec(dst, 1, x)
	} else {
		s.at.AddMulVecT(dst, 1, x)
	}
}

// subtractWhole sets s.res to b − K·x and s.ax to A·x. Neighbouring rows of a column are one
// vector; other columns are short: loops over places cost less than over slices.
func (s *System) subtractWhole(b, x []float64) {
	n, ptr, idx, val := s.n, s.k.ColPtr, s.k.RowIdx, s.k.Val
	res := s.res[:len(x)]
	copy(res[n:], b[n:])
	s.subtractVariables(b, x)
	rows, ax, d, lo := s.at.ColPtr[1:][:s.m], s.ax[:s.m], s.d[n:][:s.m], ptr[n]
	before := 0
	for t, hi := range ptr[n+1:][:s.m] {
		c := n + t
		v, p, end := x[c], lo, lo+rows[t]-before // a row of A comes first
		before = rows[t]
		lo = hi
		hi-- // the diagonal is the last entry
		sum := 0.0
		if neighbours(idx, p, end) {
			sum, p = s.wide.dotAxpy(val[p:end], x[idx[p]:], res[idx[p]:], -v), end
		}
		for ; p < end; p++ {
			j, a := idx[p], val[p]
			res[j] -= a * v
			sum += a * x[j]
		}
		ax[t] = sum
		sum += d[t] * v
		if p < hi {
			sum = s.offDiagonal(x, v, sum, p, hi)
		}
		res[c] -= sum
	}
	s.subtractColumns(x, n+s.m, len(x))
}

// subtractVariables sets the variables' part of s.res to the one of b − H·x.
func (s *System) subtractVariables(b, x []float64) {
	n := s.n
	d, b, res := s.d[:n], b[:n], s.res[:n]
	if !s.diagonal {
		copy(res, b)
		s.subtractColumns(x, 0, n)
		return
	}
	for j, v := range x[:n] {
		res[j] = b[j] - d[j]*v
	}
}

// subtractColumns takes the columns from ≤ c < to of K, above and left of the diagonal, times x
// from s.res.
func (s *System) subtractColumns(x []float64, from, to int) {
	res, d, lo := s.res[:to], s.d[:to], s.k.ColPtr[from]
	for c := from; c < to; c++ {
		v := x[c]
		sum, diagonal := d[c]*v, s.k.ColPtr[c+1]-1
		if lo < diagonal {
			sum = s.offDiagonal(x, v, sum, lo, diagonal)
		}
		res[c] -= sum
		lo = diagonal + 1
	}
}

// offDiagonal takes the entries lo to hi of a column of K times v from s.res, and adds their
// product with x to sum.
func (s *System) offDiagonal(x []float64, v, sum float64, lo, hi int) float64 {
	idx, val, res := s.k.RowIdx, s.k.Val, s.res
	if neighbours(idx, lo, hi) {
		return sum + s.wide.dotAxpy(val[lo:hi], x[idx[lo]:], res[idx[lo]:], -v)
	}
	for ; lo < hi; lo++ {
		i := idx[lo]
		res[i] -= val[lo] * v
		sum += val[lo] * x[i]
	}
	return sum
}

// neighbours reports whether the entries lo to hi of a column, ascending, are so many without a gap
// that a wide kernel pays.
func neighbours(idx []int, lo, hi int) bool {
	return hi-lo >= leastWide && idx[hi-1]-idx[lo] == hi-1-lo
}

// byRows has the places of the entries of A by rows, in half the memory of a CSC matrix: passes
// over large matrices take the time of reading them.
type byRows struct {
	end, col []int32
	row      []int32 // of each entry, where rows are short; nil where they are not
}

// shortRows is the mean number of entries up to which a loop over all entries takes less than one
// over the entries of each row: how often that runs is not foreseen by a processor. Source: a limit
// of speed; results do not depend on it.
const shortRows = 3

func newByRows(at *sparse.CSC) byRows {
	all := make([]int32, at.Cols+at.NNZ())
	r := byRows{end: all[:at.Cols], col: all[at.Cols:]}
	if at.NNZ() <= shortRows*at.Cols {
		r.row = make([]int32, at.NNZ())
		for i := range at.Cols {
			for k := at.ColPtr[i]; k < at.ColPtr[i+1]; k++ {
				r.row[k] = int32(i)
			}
		}
	}
	for i := range r.end {
		r.end[i] = int32(at.ColPtr[i+1])
	}
	for k := range r.col {
		r.col[k] = int32(at.RowIdx[k])
	}
	return r
}

// addBoth adds A·x to ax and Aᵀ·y to aty, for the values of A.
func (r byRows) addBoth(ax, aty, val, x, y []float64) {
	lo, ax, y := int32(0), ax[:len(r.end)], y[:len(r.end)]
	if r.row != nil {
		row, val := r.row[:len(r.col)], val[:len(r.col)]
		for k, j := range r.col {
			i, a := row[k], val[k]
			aty[j] += a * y[i]
			ax[i] += a * x[j]
		}
		return
	}
	for i, hi := range r.end {
		v, sum := y[i], 0.0
		val := val[lo:hi]
		for k, j := range r.col[lo:hi] {
			aty[j] += val[k] * v
			sum += val[k] * x[j]
		}
		ax[i] += sum
		lo = hi
	}
}

// subtractRows is subtractWhole where nothing is off, but for blocks.
func (s *System) subtractRows(b, x []float64) {
	n, val, col := s.n, s.at.Val, s.rows.col
	res := s.res[:len(x)]
	s.subtractVariables(b, x)
	ax, d, y, rest, b := s.ax[:s.m], s.d[n:][:s.m], x[n:][:s.m], res[n:][:s.m], b[n:][:s.m]
	if s.rows.row != nil {
		clear(ax)
		row, val := s.rows.row[:len(col)], val[:len(col)]
		for k, j := range col {
			i, a := row[k], val[k]
			res[j] -= a * y[i]
			ax[i] += a * x[j]
		}
		for i, v := range y {
			rest[i] = b[i] - (ax[i] + d[i]*v)
		}
		return
	}
	lo := int32(0)
	for i, hi := range s.rows.end[:s.m] {
		v, sum := y[i], 0.0
		val, col := val[lo:hi], col[lo:hi]
		if len(col) >= leastWide && int(col[len(col)-1]-col[0]) == len(col)-1 {
			sum = s.wide.dotAxpy(val, x[col[0]:], res[col[0]:], -v)
		} else {
			for k, j := range col {
				res[j] -= val[k] * v
				sum += val[k] * x[j]
			}
		}
		ax[i] = sum
		rest[i] = b[i] - (sum + d[i]*v)
		lo = hi
	}
}

// subtract sets s.res to b − K·x and s.ax to A·x, by way of runs.
func (s *System) subtract(b, x []float64) {
	n, k, on := s.n, s.k, s.on
	for i, v := range x {
		on[i] = v
		if s.off[i] {
			on[i] = 0
		}
	}
	copy(s.res, b)
	clear(s.ax)
	s.runs.addBoth(s.ax, s.res[:n], -1, on[:n], on[n:])
	for i, v := range s.ax {
		s.res[n+i] += v
		s.ax[i] = -v
		if s.off[n+i] {
			s.ax[i] = 0
		}
	}
	for i, off := range s.off {
		if off {
			s.res[i] = b[i]
		}
	}
	for j := range n {
		v, sum := x[j], 0.0
		for e := k.ColPtr[j]; e < k.ColPtr[j+1]; e++ {
			i := k.RowIdx[e]
			s.res[i] -= k.Val[e] * v
			if i != j {
				sum += k.Val[e] * x[i]
			}
		}
		s.res[j] -= sum
	}
	for i := n; i < n+s.m; i++ {
		s.res[i] -= s.d[i] * x[i]
	}
}
