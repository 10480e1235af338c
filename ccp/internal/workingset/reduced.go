package workingset

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// reduced is the problem of the working set: the rows in the set, the columns that are no
// terms and those of free terms. Columns that nothing holds any more stay where they are, or
// go to a bound.
type reduced struct {
	p      qpbackend.Problem
	cols   []int // of the whole problem
	rows   []int
	to     []int32 // by column of the whole problem: its place in cols, −1 for none
	a, pp  []int32 // places in A.Val and P.Val of the whole problem of the values here
	q, abs []float64
}

// costs sums up those of the columns, with those of tied terms, and the constant.
func (s *working) costs() {
	r := &s.small
	r.q, r.abs = append(r.q[:0], s.p.Q...), append(r.abs[:0], s.p.Q...)
	for j, v := range r.abs {
		r.abs[j] = math.Abs(v)
	}
	r.p.R = s.p.R
	for _, j := range s.terms {
		cost := s.p.Q[j]
		switch s.state[j] {
		case rest:
			r.p.R += cost * s.restValue(j)
		case tied:
			i := s.tie[j]
			side, _ := s.limit(i, 0, cost)
			r.p.R += cost * side
			share := cost / s.p.A.Val[s.ownAt[i]]
			for _, run := range s.line(i) {
				value := s.of(run)
				q, abs := r.q[run.column:][:len(value)], r.abs[run.column:][:len(value)]
				for e, v := range value {
					v *= share
					q[e] -= v
					abs[e] += math.Abs(v)
				}
			}
		}
	}
}

// rounded is the share of the sum of the sizes of a column's costs below which their sum
// is the rounding error of 0. Source: derived: 50 units of rounding.
const rounded = 0x1p-47

// stays is the value of a column that occurs in no row of the set: ok is false where there
// is none, as its cost has no bound.
func (s *working) stays(j int32) (v float64, ok bool) {
	lo, hi := s.p.Bounds(int(j))
	q := s.small.q[j]
	if math.Abs(q) <= rounded*s.small.abs[j] {
		return min(max(s.x[j], lo), hi), true
	}
	v = s.bound(j, q)
	return v, !s.sampled && !math.IsInf(v, 0) // samples have a box
}

// build makes the problem of the set anew.
func (s *working) build() {
	r := &s.small
	n := len(s.x)
	s.costs()
	r.rows, r.cols = r.rows[:0], r.cols[:0]
	count := make([]int, n)
	entries := 0
	for i, in := range s.in {
		if !in {
			continue
		}
		r.rows = append(r.rows, i)
		for e := s.ptr[i]; e < s.ptr[i+1]; e++ {
			if s.present(e) {
				count[s.col[e]]++
				entries++
			}
		}
	}
	r.to = slices.Grow(r.to[:0], n)[:n]
	for j := range n {
		r.to[j] = -1
		keep := s.state[j] == free
		if s.state[j] == common {
			keep = count[j] > 0 || s.curved[j]
			if !keep {
				_, stays := s.stays(int32(j))
				keep = !stays
			}
		}
		if keep {
			r.to[j] = int32(len(r.cols))
			r.cols = append(r.cols, j)
		}
	}
	s.compress(count, entries)
	k, m := len(r.cols), len(r.rows)
	r.p.Q, r.p.Lo, r.p.Hi = make([]float64, k), make([]float64, k), make([]float64, k)
	r.p.L, r.p.U = make([]float64, m), make([]float64, m)
	s.cones()
	s.fill()
}

// present reports whether the pattern has entry e of the rows. Of samples, whose set is made for
// each solution anew, it is that of the coefficients that are not 0.
func (s *working) present(e int32) bool {
	if s.sampled {
		return s.p.A.Val[s.at[e]] != 0
	}
	return s.state[s.col[e]] != rest
}

// compress makes the patterns of A and P. count has the entries of each column.
func (s *working) compress(count []int, entries int) {
	r := &s.small
	k := len(r.cols)
	a := &sparse.CSC{Rows: len(r.rows), Cols: k, ColPtr: make([]int, k+1), RowIdx: make([]int, entries),
		Val: make([]float64, entries)}
	for f, j := range r.cols {
		a.ColPtr[f+1] = a.ColPtr[f] + count[j]
	}
	r.a = slices.Grow(r.a[:0], entries)[:entries]
	next := slices.Clone(a.ColPtr[:k])
	for f, i := range r.rows {
		for e := s.ptr[i]; e < s.ptr[i+1]; e++ {
			if !s.present(e) {
				continue
			}
			at := &next[r.to[s.col[e]]]
			a.RowIdx[*at], r.a[*at] = f, s.at[e]
			*at++
		}
	}
	r.p.A = a
	p := &sparse.CSC{Rows: k, Cols: k, ColPtr: make([]int, k+1)}
	r.pp = r.pp[:0]
	for f, j := range r.cols {
		for e := s.p.P.ColPtr[j]; e < s.p.P.ColPtr[j+1]; e++ {
			p.RowIdx = append(p.RowIdx, int(r.to[s.p.P.RowIdx[e]]))
			r.pp = append(r.pp, int32(e))
		}
		p.ColPtr[f+1] = len(r.pp)
	}
	p.Val = make([]float64, len(r.pp))
	r.p.P = p
}

// cones lists those of the problem, all of whose rows are in the set.
func (s *working) cones() {
	r := &s.small
	r.p.Cones = nil
	for _, c := range s.p.Cones {
		c.Start, _ = slices.BinarySearch(r.rows, c.Start)
		r.p.Cones = append(r.p.Cones, c)
	}
}

// values writes those of the whole problem. It returns false where a column that was left
// out has no place to stay at any more.
func (s *working) values() bool {
	s.costs()
	return s.fill()
}

// fill is values where the costs are up to date.
func (s *working) fill() bool {
	r := &s.small
	for k, at := range r.a {
		r.p.A.Val[k] = s.p.A.Val[at]
	}
	for k, at := range r.pp {
		r.p.P.Val[k] = s.p.P.Val[at]
	}
	for f, j := range r.cols {
		r.p.Q[f] = r.q[j]
		r.p.Lo[f], r.p.Hi[f] = s.within(j)
	}
	for f, i := range r.rows {
		r.p.L[f], r.p.U[f] = s.p.L[i], s.p.U[i]
	}
	for j, f := range r.to {
		if f < 0 && s.state[j] == common {
			v, ok := s.stays(int32(j))
			if !ok {
				return false
			}
			if s.x[j] = v; v != 0 {
				r.p.R += r.q[j] * v
			}
		}
	}
	return true
}

// restore makes x, y and z those of the whole problem: of a point, of a proof or of a
// ray, as the status says.
func (s *working) restore(res *qpbackend.Result) {
	r := &s.small
	proof, ray := res.Status == qpbackend.PrimalInfeasible, res.Status == qpbackend.DualInfeasible
	for j, f := range r.to {
		switch {
		case f >= 0 && int(f) < len(res.X):
			s.x[j] = res.X[f]
		case ray:
			s.x[j] = 0
		case s.state[j] == rest:
			s.x[j] = s.restValue(int32(j))
		}
	}
	clear(s.y)
	clear(s.z)
	for f, i := range r.rows {
		if f < len(res.Y) {
			s.y[i] = res.Y[f]
		}
	}
	for j, f := range r.to {
		switch {
		case f >= 0 && int(f) < len(res.Z):
			if lo, hi := s.within(j); res.Z[f] < 0 && lo == s.p.Lo[j] || res.Z[f] > 0 && hi == s.p.Hi[j] {
				s.z[j] = res.Z[f]
			}
		case proof || ray:
		case s.state[j] == rest:
			s.z[j] = -s.p.Q[j]
		case s.state[j] == common && math.Abs(r.q[j]) > rounded*r.abs[j]:
			s.z[j] = -r.q[j]
		}
	}
	if !proof && !ray && len(res.Y) == len(r.rows) {
		s.held(func(j, i int32) { s.z[j] = -s.p.Q[j] - s.p.A.Val[s.ownAt[i]]*s.y[i] })
	}
	s.untie(proof, ray)
	clear(s.ax)
	s.p.A.AddMulVec(s.ax, 1, s.x)
}

// untie sets the values of tied terms and the multipliers of their rows.
func (s *working) untie(proof, ray bool) {
	for _, j := range s.terms {
		if s.state[j] != tied {
			continue
		}
		i, cost := s.tie[j], s.p.Q[j]
		sum, a := s.product(i, s.x), s.p.A.Val[s.ownAt[i]]
		if ray {
			s.x[j] = -sum / a
			continue
		}
		s.x[j], _ = s.limit(i, sum, cost)
		if !proof {
			s.y[i] = -cost / a
		}
	}
}
