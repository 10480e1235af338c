package workingset

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// Sizes of the working set.
// Source: limits of speed, of which no answer depends on: docs/lab/large.md.
const (
	leastSet = 300 // rows that may join at once, at least
	// rows that join at once per column that is no term, and nearest rows of each column at first
	perColumn = 2
)

// most is the number of rows that may join at once: the set grows by half of its size, that of
// samples by all that are broken.
func (s *working) most() int {
	if s.sampled { // each has its share of the objective
		return len(s.in) + len(s.terms)
	}
	return max(s.least, perColumn*s.common, s.rows/2)
}

// nearby is the number of rows near a point that join.
func (s *working) nearby() int { return max(s.least, perColumn*s.common) }

// restValue is the value of a term without rows: its bound, or the value that it had where
// it costs nothing.
func (s *working) restValue(j int32) float64 {
	if cost := s.p.Q[j]; cost != 0 {
		return s.bound(j, cost)
	}
	lo, hi := s.p.Bounds(int(j))
	return min(max(s.x[j], lo), hi)
}

// settle gives each term that is not free the state that it has at s.x: at rest or tied to the row
// that stops it first. One that nothing stops becomes free, with all its rows. Terms whose bound
// stops them stay as they are unless all. sums are those of the rows without terms.
func (s *working) settle(all bool, sums []float64) {
	for _, j := range s.terms {
		cost := s.p.Q[j]
		if s.state[j] == free || !all && !math.IsInf(s.bound(j, cost), 0) {
			continue
		}
		if cost == 0 {
			s.rest(j)
			continue
		}
		switch row, _, _ := s.piece(j, sums); {
		case row == -1:
			s.rest(j)
		case row == -2:
			s.release(j)
			for _, i := range s.rowsOf(j) {
				s.include(int32(i))
			}
		case s.in[row]:
			s.loosen(j)
		default:
			s.fasten(j, row)
		}
	}
}

// rest puts a term at its bound.
func (s *working) rest(j int32) {
	s.changed = s.changed || s.state[j] != rest
	s.state[j] = rest
}

// fasten ties a term to a row.
func (s *working) fasten(j, row int32) {
	s.changed = s.changed || s.state[j] != tied || s.tie[j] != row
	s.state[j], s.tie[j] = tied, row
}

// begin makes the first set: the rows that may not leave.
func (s *working) begin() {
	s.members = newMembers(len(s.x), len(s.p.L), s.term)
	s.chosen, s.changed = true, true
	for i := range s.in {
		if !s.mayLeave(s.p, i) {
			s.add(int32(i))
		}
	}
	if s.dual && !s.sampled {
		s.resume()
	}
}

// resume makes the set that a solution with multipliers tells: the rows with one, and those that it
// breaks, as rows have that it did not know. Terms without a row with a multiplier stay at their
// bounds, also where a new row would now stop them: with thousands of terms tied to such rows a
// problem has no least value.
func (s *working) resume() {
	largest, tol := num.NormInf(s.y), s.tolerance()
	for i, y := range s.y {
		if math.Abs(y) > acting*largest {
			if j := s.own[i]; j >= 0 && math.Abs(s.x[j]) > tol {
				s.release(j)
			}
			s.add(int32(i))
		}
	}
	clear(s.ax)
	s.p.A.AddMulVec(s.ax, 1, s.x)
	s.join(s.broken(s.tolerance(), false))
}

// acting is the share of the largest multiplier above which one is that of a row that holds with
// equality. Source: a limit of speed, of which no answer depends: those of rows that do not are at
// most the tolerance, relative to their slacks.
const acting = 1e-6

// renew brings the set up to date for the neighbourhood of s.x. A set that has the nearer half of
// the rows that would join stays: so does the analysis of the pattern.
func (s *working) renew(ctx context.Context) error {
	first := !s.chosen
	if first {
		s.begin()
	}
	if s.sampled {
		return s.aroundSamples(ctx)
	}
	before := s.members.clone()
	s.settle(!first || !s.dual, s.sums())
	same := !s.changed
	near := s.around()
	absent := func(c candidate) bool { return !before.in[c.row] }
	if same && !slices.ContainsFunc(near, absent) {
		s.members, s.changed = before, false
	}
	return nil
}

// around lets the nearest rows of s.x join, of all and of each column. It returns the nearer half
// of those of all.
func (s *working) around() []candidate {
	list := s.distances(s.sums())
	s.joinNearestByColumn(list)
	near := nearest(list, s.nearby())
	for _, c := range near {
		s.add(c.row)
	}
	return nearest(near, len(near)/2)
}

// distances lists the rows with their distances from s.x, given their sums without terms.
func (s *working) distances(sums []float64) []candidate {
	list := s.list[:0]
	note := func(i int32, d float64) {
		if !math.IsNaN(d) && !math.IsInf(d, 0) { // of rows that nothing moves it is infinite
			list = append(list, candidate{i, d})
		}
	}
	for i, v := range sums {
		i := int32(i)
		switch j := s.own[i]; {
		case !s.mayLeave(s.p, int(i)):
		case j < 0:
			note(i, math.Abs(s.slack(i, v))/s.norms[i])
		case s.p.Q[j] == 0:
			note(i, math.Abs(s.slack(i, v+s.p.A.Val[s.ownAt[i]]*s.restValue(j)))/s.norms[i])
		}
	}
	for _, j := range s.terms {
		row, value, behind := s.piece(j, sums)
		if row == -2 || s.p.Q[j] == 0 {
			continue
		}
		for _, i := range s.rowsOf(j) {
			i, d := int32(i), behind
			if i != row {
				v, ok := s.limit(i, sums[i], s.p.Q[j])
				if !ok {
					continue
				}
				d = math.Abs(value - v)
			}
			note(i, d*math.Abs(s.p.A.Val[s.ownAt[i]])/s.norms[i])
		}
	}
	s.list = list
	return list
}

// joinNearestByColumn adds the nearest rows of each column that is no term.
func (s *working) joinNearestByColumn(list []candidate) {
	best := make([][perColumn]candidate, len(s.x))
	for j := range best {
		for k := range best[j] {
			best[j][k] = candidate{-1, math.Inf(1)}
		}
	}
	for _, c := range list {
		for _, r := range s.line(c.row) {
			for j := range r.count {
				if j += r.column; !s.curved[j] {
					insert(&best[j], c)
				}
			}
		}
	}
	for j := range best {
		for _, c := range best[j] {
			if c.row >= 0 {
				s.add(c.row)
			}
		}
	}
}

// insert puts a candidate in its place where it is one of the nearest.
func insert(best *[perColumn]candidate, c candidate) {
	k := perColumn
	for k > 0 && c.d < best[k-1].d {
		k--
	}
	if k < perColumn {
		copy(best[k+1:], best[k:])
		best[k] = c
	}
}

// tolerance is the largest violation of an absent row at s.x that counts as none: half of what
// qpbackend.Certify allows.
func (s *working) tolerance() float64 { return s.set.Tol / 2 * s.measure() }

// measure is the size of the point: of s.ax and of the entries of s.x with bounds.
func (s *working) measure() float64 {
	size := max(1, num.NormInf(s.ax))
	for j, v := range s.x {
		if lo, hi := s.p.Bounds(j); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
			size = max(size, math.Abs(v))
		}
	}
	return size
}

// broken lists the absent rows, and the bounds of tied terms, that s.x breaks, given its products
// with the rows in s.ax, by more than tol; where s.x is a ray, those that it leaves for ever.
func (s *working) broken(tol float64, ray bool) []candidate {
	list := s.list[:0]
	beyond := func(v, lo, hi float64) float64 {
		if ray {
			lo, hi = recession(lo), recession(hi)
		}
		return max(lo-v, v-hi)
	}
	for i, v := range s.ax {
		if s.in[i] {
			continue
		}
		l, u := s.p.Sides(i)
		if d := beyond(v, l, u); d > tol {
			list = append(list, candidate{int32(i), d / s.norms[i]})
		}
	}
	for _, j := range s.terms {
		if s.state[j] != tied {
			continue
		}
		lo, hi := s.p.Bounds(int(j))
		if d := beyond(s.x[j], lo, hi); d > tol {
			i := s.tie[j]
			list = append(list, candidate{-1 - j, d * math.Abs(s.p.A.Val[s.ownAt[i]]) / s.norms[i]})
		}
	}
	s.list = list
	return list
}

// recession is an end of the interval of the directions in which an interval with the given end has
// no end.
func recession(end float64) float64 {
	if math.Abs(end) < qpbackend.Infinity {
		return 0
	}
	return end
}

// join adds the worst of the broken rows, and reports whether there were any.
func (s *working) join(list []candidate) bool {
	if len(list) == 0 {
		return false
	}
	for k := range list {
		list[k].d = -list[k].d
	}
	for _, c := range nearest(list, s.most()) {
		if c.row >= 0 {
			s.add(c.row)
		} else {
			s.release(-1 - c.row)
		}
	}
	s.changed = true
	return true
}
