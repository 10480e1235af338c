package workingset

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// state is the way in which a column is in the smaller problem.
type state uint8

const (
	common state = iota // a column that is no term
	rest                // a term at its bound: no row of it is in the set
	tied                // a term that is the affine function of one row
	free                // a term with a column of its own and the rows of it that are in the set
)

// members are the rows of the working set and the states of the terms.
type members struct {
	in    []bool  // by row
	state []state // by column
	tie   []int32 // by column: the row of a tied term
	off   []bool  // by column: terms that were better off their bound
	rows  int     // in the set
}

func newMembers(n, m int, term []bool) members {
	s := members{in: make([]bool, m), state: make([]state, n), tie: missing(n), off: make([]bool, n)}
	for j, t := range term {
		if t {
			s.state[j] = rest
		}
	}
	return s
}

func (m members) clone() members {
	m.in, m.state = slices.Clone(m.in), slices.Clone(m.state)
	m.tie, m.off = slices.Clone(m.tie), slices.Clone(m.off)
	return m
}

// candidate is a row, or the bound of a tied term, and its distance: that by which the other
// columns have to move until it holds.
type candidate struct {
	row int32 // or −1 − column
	d   float64
}

// nearest puts the k of least distance in front, in any order.
func nearest(list []candidate, k int) []candidate {
	if k >= len(list) || k == 0 {
		return list[:min(k, len(list))]
	}
	far := make([]float64, len(list))
	for i, c := range list {
		far[i] = c.d
	}
	d := num.Smallest(far, k-1)
	closer := within(list, math.Nextafter(d, math.Inf(-1)))
	within(list[len(closer):], d)
	return list[:k]
}

// within puts the candidates of at most a distance in front.
func within(list []candidate, d float64) []candidate {
	n := 0
	for k, c := range list {
		if c.d <= d {
			list[n], list[k] = c, list[n]
			n++
		}
	}
	return list[:n]
}

// add takes row i into the set, with its term.
func (s *working) add(i int32) {
	if j := s.own[i]; j >= 0 && !s.holds(j) {
		s.release(j)
	}
	s.include(i)
}

// holds reports whether a term may stay at its bound, 0, where its only row is in the set.
func (s *working) holds(j int32) bool {
	return !s.sampled && !s.off[j] && s.state[j] == rest && s.p.Q[j] != 0 && len(s.rowsOf(j)) == 1 &&
		s.bound(j, s.p.Q[j]) == 0
}

// held calls f with the terms at their bound whose row is in the set.
func (s *working) held(f func(j, i int32)) {
	for _, j := range s.terms {
		if s.state[j] == rest {
			if i := int32(s.rowsOf(j)[0]); s.in[i] {
				f(j, i)
			}
		}
	}
}

// yield releases the terms that are better off their bound, or all that are at it, and reports
// whether there are any.
func (s *working) yield(all bool) (any bool) {
	s.held(func(j, i int32) {
		if all || s.z[j]*s.p.Q[j] > 0 {
			s.loosen(j)
			any = true
		}
	})
	return any
}

// loosen releases a term that is better off its bound, for as long as there is a set.
func (s *working) loosen(j int32) {
	s.release(j)
	s.off[j], s.changed = true, true
}

// release makes a term one with a column of its own.
func (s *working) release(j int32) {
	if s.state[j] == tied {
		s.include(s.tie[j])
	}
	s.state[j] = free
}

func (s *working) include(i int32) {
	if !s.in[i] {
		s.in[i] = true
		s.rows++
		s.changed = true
	}
}

func (s *working) exclude(i int32) {
	if s.in[i] {
		s.in[i] = false
		s.rows--
		s.changed = true
	}
}

// rowsOf are those of column j.
func (s *working) rowsOf(j int32) []int { return s.p.A.RowIdx[s.p.A.ColPtr[j]:s.p.A.ColPtr[j+1]] }

// limit is the value of the term of row i at which the row stops it on the way down its
// cost: downwards for cost > 0. rest is the sum of the row's other terms.
func (s *working) limit(i int32, rest, cost float64) (v float64, ok bool) {
	a, side := s.p.A.Val[s.ownAt[i]], s.p.U[i]
	if a*cost > 0 {
		side = s.p.L[i]
	}
	if a == 0 || !(math.Abs(side) < qpbackend.Infinity) {
		return 0, false
	}
	return (side - rest) / a, true
}

// bound is the one that stops column j on the way down its cost; ±Inf for none.
func (s *working) bound(j int32, cost float64) float64 {
	lo, hi := s.p.Bounds(int(j))
	if cost > 0 {
		return lo
	}
	return hi
}

// piece is the row that stops term j first, −1 for its bound, −2 where nothing does, the
// value there, and by how much the next one is behind; +Inf where there is none. rest
// has the sums of the other terms by row.
func (s *working) piece(j int32, sums []float64) (row int32, value, behind float64) {
	cost := s.p.Q[j]
	sign := math.Copysign(1, cost)
	row, value = -2, math.Inf(-1)
	if b := s.bound(j, cost); !math.IsInf(b, 0) {
		row, value = -1, sign*b
	}
	second := math.Inf(-1)
	for _, i := range s.rowsOf(j) {
		v, ok := s.limit(int32(i), sums[i], cost)
		if !ok {
			continue
		}
		if v *= sign; v > value {
			row, value, second = int32(i), v, value
		} else {
			second = max(second, v)
		}
	}
	return row, sign * value, value - second
}

// slack is the distance of row i from its nearer side at a value; negative where it is
// broken.
func (s *working) slack(i int32, v float64) float64 {
	l, u := s.p.Sides(int(i))
	return min(v-l, u-v)
}
