package workingset

import "math"

// lines are the rows of A in the columns that are no terms, without entries that are 0: the row of a maximum's tangent has
// room for all pieces of the maximum, of which it has one.
type lines struct {
	begin  []int32 // by row; the last is the end
	column []int32 // ascending in each row
	value  []float64
	next   []int32 // scratch, by row
	read   bool    // they have the values of A as they are
}

// readLines brings the lines up to date.
func (s *solver) readLines() {
	if s.read {
		return
	}
	a, l := s.p.A, &s.lines
	if l.begin == nil {
		l.begin, l.next = make([]int32, a.Rows+1), make([]int32, a.Rows)
	}
	clear(l.begin)
	for j, term := range s.term {
		if term {
			continue
		}
		for e := a.ColPtr[j]; e < a.ColPtr[j+1]; e++ {
			if a.Val[e] != 0 {
				l.begin[a.RowIdx[e]+1]++
			}
		}
	}
	for i := range a.Rows {
		l.begin[i+1] += l.begin[i]
	}
	copy(l.next, l.begin)
	if n := int(l.begin[a.Rows]); n > len(l.column) {
		l.column, l.value = make([]int32, n), make([]float64, n)
	}
	for j, term := range s.term {
		if term {
			continue
		}
		for e := a.ColPtr[j]; e < a.ColPtr[j+1]; e++ {
			if v := a.Val[e]; v != 0 {
				to := &l.next[a.RowIdx[e]]
				l.column[*to], l.value[*to] = int32(j), v
				*to++
			}
		}
	}
	l.read = true
}

// line has the columns and the coefficients of row i.
func (l *lines) line(i int32) (column []int32, value []float64) {
	from, to := l.begin[i], l.begin[i+1]
	return l.column[from:to], l.value[from:to]
}

// product is that of row i with x, without its term.
func (l *lines) product(i int32, x []float64) (sum float64) {
	column, value := l.line(i)
	for e, j := range column {
		sum += value[e] * x[j]
	}
	return sum
}

// sums are those of the rows at s.x without their terms.
func (s *solver) sums() []float64 {
	for i := range s.ax {
		s.ax[i] = s.product(int32(i), s.x)
	}
	return s.ax
}

// norm is the Euclidean norm of the coefficients of row i but for its term's.
func (s *solver) norm(i int32) float64 {
	sum := 0.0
	_, value := s.line(i)
	for _, v := range value {
		sum += v * v
	}
	return math.Sqrt(sum)
}

// spread is the unit of distances from row i: the deviation of its sum in a step, where steps are known, else the norm of
// its coefficients.
func (s *solver) spread(i int32) float64 {
	if s.unit == nil {
		return s.norm(i)
	}
	sum := 0.0
	column, value := s.line(i)
	for e, j := range column {
		v := value[e] * s.unit[j]
		sum += v * v
	}
	return math.Sqrt(sum)
}
