package workingset

import "math"

// lines are the rows of A in the columns that are no terms, without entries that are 0: the row of a maximum's tangent has
// room for all pieces of the maximum, of which it has one.
type lines struct {
	begin  []int32 // by row: its first entry; the last entry is the end
	column []int32
	value  []float64
	norms  []float64 // by row: the Euclidean norm
	read   bool      // they have the values of A as they are
	shares bool      // A has its values in common with the caller: see Backend
}

// readLines brings the lines up to date.
func (s *solver) readLines() {
	if s.read {
		return
	}
	a, l := s.p.A, &s.lines
	l.begin, l.norms = append(l.begin[:0], 0), l.norms[:0]
	l.column, l.value = l.column[:0], l.value[:0]
	for i, own := range s.ownAt {
		sum := 0.0
		for e := s.ptr[i]; e < s.ptr[i+1]; e++ {
			if v := a.Val[s.at[e]]; v != 0 && s.at[e] != own {
				l.column, l.value = append(l.column, s.col[e]), append(l.value, v)
				sum += v * v
			}
		}
		l.norms = append(l.norms, math.Sqrt(sum))
		l.begin = append(l.begin, int32(len(l.value)))
	}
	l.read = true
}

// line has the columns and the coefficients of row i.
func (l *lines) line(i int32) (column []int32, value []float64) {
	return l.column[l.begin[i]:l.begin[i+1]], l.value[l.begin[i]:l.begin[i+1]]
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

// spread is the unit of distances from row i: the deviation of its sum in a step, where steps are known, else the norm of
// its coefficients.
func (s *solver) spread(i int32) float64 {
	if s.unit == nil {
		return s.norms[i]
	}
	sum := 0.0
	column, value := s.line(i)
	for e, j := range column {
		v := value[e] * s.unit[j]
		sum += v * v
	}
	return math.Sqrt(sum)
}
