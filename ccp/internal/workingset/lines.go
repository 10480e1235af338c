package workingset

import "math"

// lines are the rows of A in the columns that are no terms, without entries that are 0: the row of a maximum's tangent has
// room for all pieces of the maximum, of which it has one.
type lines struct {
	begin  []int32 // by row; the last is the end
	column []int32 // ascending in each row
	value  []float64
	read   bool // they have the values of A as they are
	shares bool // A has its values in common with the caller: see Backend
}

// readLines brings the lines up to date.
func (s *solver) readLines() {
	if s.read {
		return
	}
	a, l := s.p.A, &s.lines
	if l.begin == nil {
		l.begin = make([]int32, a.Rows+1)
		n := 0
		for _, v := range a.Val {
			if v != 0 {
				n++
			}
		}
		l.column, l.value = make([]int32, 0, n), make([]float64, 0, n)
	}
	column, value := l.column[:0], l.value[:0]
	for i, own := range s.ownAt {
		from, to := s.ptr[i], s.ptr[i+1]
		at := s.at[from:to]
		for e, j := range s.col[from:to] {
			if v := a.Val[at[e]]; v != 0 && at[e] != own {
				column, value = append(column, j), append(value, v)
			}
		}
		l.begin[i+1] = int32(len(column))
	}
	l.column, l.value = column, value
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
