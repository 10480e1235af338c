package graph

import (
	"math"
	"slices"
)

// Row is an affine function of each member: the function of member i is Σ Val[t][i]·x[Idx[t][i]] +
// C[i]. Idx ascends strictly with t in every member.
type Row struct {
	Idx [][]int32
	Val [][]float64
	C   []float64
	// Lost is the largest of all members: the sizes of the constants that were added up to C, less
	// its own, the part that has cancelled.
	Lost float64
}

// Number is a column of numbers as a row.
func Number(c []float64) Row { return Row{C: c} }

// Equal reports whether two rows are the same functions.
func (r *Row) Equal(o *Row) bool { return r.Lost == o.Lost && r.Parallel(o) && equalColumns(r.C, o.C) }

// Parallel reports whether two rows differ in constants alone.
func (r *Row) Parallel(o *Row) bool {
	return slices.EqualFunc(r.Idx, o.Idx, equalColumns) && slices.EqualFunc(r.Val, o.Val, equalColumns)
}

// Shared reports whether all members have the same coefficients.
func (r *Row) Shared() bool {
	for t := range r.Idx {
		if len(r.Idx[t])+len(r.Val[t]) != 2 {
			return false
		}
	}
	return true
}

// IsZero reports whether the row is 0 in all members.
func (r *Row) IsZero() bool { return len(r.Idx) == 0 && len(r.C) == 1 && r.C[0] == 0 && r.Lost == 0 }

// Terms adds up affine functions of members: the terms as they are stated, before the terms of one
// variable are joined.
type Terms struct {
	Known  Multiples // nil: none are
	idx    [][]int32
	val    [][]float64
	consts [][]float64
	lost   float64 // of the rows
}

// Multiples are columns times one number, which sums share.
type Multiples map[multiple][]float64

type multiple struct {
	of    *float64
	times float64
}

// scale is Scale, of one number once.
func (m Multiples) scale(w, column []float64) []float64 {
	if len(w) > 1 || len(column) == 1 || w[0] == 1 || m == nil {
		return Scale(w, column)
	}
	key := multiple{&column[0], w[0]}
	out, ok := m[key]
	if !ok {
		out = Scale(w, column)
		m[key] = out
	}
	return out
}

// AddNumber adds w times constants.
func (s *Terms) AddNumber(w, c []float64) {
	if len(c) > 1 || c[0] != 0 {
		s.consts = append(s.consts, s.Known.scale(w, c))
	}
}

// Add adds w times a row.
func (s *Terms) Add(w []float64, r *Row) {
	s.AddNumber(w, r.C)
	if r.Lost > 0 {
		most := 0.0
		for _, v := range w {
			most = max(most, math.Abs(v))
		}
		s.lost += most * r.Lost
	}
	for t := range r.Idx {
		s.idx, s.val = append(s.idx, r.Idx[t]), append(s.val, s.Known.scale(w, r.Val[t]))
	}
}

// constant is the sum of the constants, and the largest of the sizes that have cancelled.
func (s *Terms) constant() (c []float64, lost float64) {
	switch len(s.consts) {
	case 0:
		return []float64{0}, s.lost
	case 1:
		return s.consts[0], s.lost
	}
	n := 1
	for _, column := range s.consts {
		n = max(n, len(column))
	}
	c, size := make([]float64, n), make([]float64, n)
	for _, column := range s.consts {
		for i := range c {
			v := At(column, i)
			c[i] += v
			size[i] += math.Abs(v)
		}
	}
	for i, v := range c {
		lost = max(lost, size[i]-math.Abs(v))
	}
	return c, lost + s.lost
}

// Row is the sum. ok is false where a variable stands in several terms of some members alone, or a
// coefficient is 0 in some: these have no common form.
func (s *Terms) Row() (r Row, ok bool) {
	order := make([]int, len(s.idx))
	for t := range order {
		order[t] = t
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(s.idx[a][0]) - int(s.idx[b][0]) })
	inOrder := true
	for _, t := range order {
		last := len(r.Idx) - 1
		switch {
		case last < 0 || before(r.Idx[last], s.idx[t]):
			r.Idx, r.Val = append(r.Idx, s.idx[t]), append(r.Val, s.val[t])
		case equalColumns(r.Idx[last], s.idx[t]):
			r.Val[last] = Map(r.Val[last], s.val[t], func(a, b float64) float64 { return a + b })
		default:
			r.Idx, r.Val, inOrder = append(r.Idx, s.idx[t]), append(r.Val, s.val[t]), false
		}
	}
	if !inOrder && !r.sort() {
		return Row{}, false
	}
	if slices.ContainsFunc(r.Val, func(list []float64) bool { return slices.Contains(list, 0) }) {
		return Row{}, false
	}
	if r.C, r.Lost = s.constant(); len(r.Idx) == 0 {
		r.Lost = 0
	}
	return r, true
}

// IsZero reports whether nothing but zeros was added.
func (s *Terms) IsZero() bool { return len(s.idx)+len(s.consts) == 0 }

// sort brings the coefficients of each member in the order of its variables; it returns false where
// a member has a variable twice.
func (r *Row) sort() bool {
	n := 1
	for t := range r.Idx {
		n = max(n, len(r.Idx[t]), len(r.Val[t]))
	}
	for t := range r.Idx {
		r.Idx[t], r.Val[t] = spread(r.Idx[t], n), spread(r.Val[t], n)
	}
	for i := range n {
		for t := range r.Idx {
			for k := t; k > 0 && r.Idx[k][i] <= r.Idx[k-1][i]; k-- {
				if r.Idx[k][i] == r.Idx[k-1][i] {
					return false
				}
				r.Idx[k][i], r.Idx[k-1][i] = r.Idx[k-1][i], r.Idx[k][i]
				r.Val[k][i], r.Val[k-1][i] = r.Val[k-1][i], r.Val[k][i]
			}
		}
	}
	for t := range r.Idx {
		r.Idx[t], r.Val[t] = Pack(r.Idx[t]), Pack(r.Val[t])
	}
	return true
}

// spread is a copy of a column with a number for each of n members.
func spread[T any](column []T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = At(column, i)
	}
	return out
}

// AppendTo appends the coefficients of n members, one after the other.
func (s *Terms) AppendTo(idx []int, val []float64, n int) ([]int, []float64) {
	idx, val = slices.Grow(idx, n*len(s.idx)), slices.Grow(val, n*len(s.idx))
	for i := range n {
		for t := range s.idx {
			idx, val = append(idx, int(At(s.idx[t], i))), append(val, At(s.val[t], i))
		}
	}
	return idx, val
}

// Constants calls each with the constants of n members, and the sums of the sizes of the numbers
// that these were added up from.
func (s *Terms) Constants(n int, each func(c, size float64)) {
	for i := range n {
		c, size := 0.0, s.lost
		for _, column := range s.consts {
			v := At(column, i)
			c, size = c+v, size+math.Abs(v)
		}
		each(c, size)
	}
}

// before reports whether the variables of a come before the variables of b, in all members.
func before(a, b []int32) bool {
	for i := range max(len(a), len(b)) {
		if At(a, i) >= At(b, i) {
			return false
		}
	}
	return true
}
