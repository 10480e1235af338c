package workingset

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
)

// lines are the rows of A in the columns that are no terms, without entries that are 0: the row of
// a maximum's tangent has room for all pieces of the maximum, of which it has one. A row consists
// of runs of columns that follow one another.
type lines struct {
	begin []int32 // by row: its first run; the last entry is the end
	runs  []run
	value []float64 // the coefficients of runs
	norms []float64 // by row: the Euclidean norm
	read  bool      // they have the values of A as they are
}

// run is a number of coefficients at columns that follow one another: the places of the first one,
// in value and in the row, and how many they are.
type run struct{ at, column, count int32 }

// readLines brings the lines up to date.
func (s *working) readLines() {
	if s.read {
		return
	}
	a, l := s.p.A, &s.lines
	if l.begin == nil {
		l.begin, l.norms = make([]int32, a.Rows+1), make([]float64, a.Rows)
		n := 0
		for _, v := range a.Val {
			if v != 0 {
				n++
			}
		}
		l.value = make([]float64, 0, n)
	}
	l.runs, l.value = l.runs[:0], l.value[:0]
	column, value := make([]int32, s.common), make([]float64, s.common)
	for i, own := range s.ownAt {
		from, to := s.ptr[i], s.ptr[i+1]
		at := s.at[from:to]
		n, sum := 0, 0.0
		for e, j := range s.col[from:to] {
			if v := a.Val[at[e]]; v != 0 && at[e] != own {
				column[n], value[n] = j, v
				sum += v * v
				n++
			}
		}
		l.norms[i] = math.Sqrt(sum)
		l.add(column[:n], value[:n])
		l.begin[i+1] = int32(len(l.runs))
	}
	l.read = true
}

// add appends the runs of a row.
func (l *lines) add(column []int32, value []float64) {
	for len(column) > 0 {
		n := 1
		for n < len(column) && column[n] == column[0]+int32(n) {
			n++
		}
		l.runs = append(l.runs, run{int32(len(l.value)), column[0], int32(n)})
		l.value = append(l.value, value[:n]...)
		column, value = column[n:], value[n:]
	}
}

// line has the runs of row i.
func (l *lines) line(i int32) []run { return l.runs[l.begin[i]:l.begin[i+1]] }

// of has the coefficients of a run.
func (l *lines) of(r run) []float64 { return l.value[r.at:][:r.count] }

// product is that of row i with x, without its term.
func (l *lines) product(i int32, x []float64) (sum float64) {
	for _, r := range l.line(i) {
		sum += num.Dot(l.of(r), x[r.column:])
	}
	return sum
}

// sums are those of the rows at s.x without their terms.
func (s *working) sums() []float64 {
	for i := range s.ax {
		s.ax[i] = s.product(int32(i), s.x)
	}
	return s.ax
}
