package workingset

import (
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/implied"
	"github.com/dcopt/dcopt/qpbackend"
)

// shape is the part of a problem that its pattern fixes.
type shape struct {
	ptr, col, at []int32 // the rows of A: the columns of their entries, and their places in A.Val
	conic        []bool  // by row: it is one of a cone
	own          []int32 // by row: the column of its term, −1 for none
	ownAt        []int32 // by row: the place in A.Val of its term's coefficient
	terms        []int32 // the columns of terms, ascending
	term         []bool  // by column
	curved       []bool  // by column: it occurs in P
	common       int     // columns that are no terms
}

// newShape looks at p, whose P and A are there.
func newShape(p *qpbackend.Problem) *shape {
	n, m := p.Dims()
	s := &shape{own: missing(m), ownAt: missing(m), term: make([]bool, n), curved: make([]bool, n)}
	s.conic = implied.InCones(p)
	for j := range n {
		for k := p.P.ColPtr[j]; k < p.P.ColPtr[j+1]; k++ {
			s.curved[j], s.curved[p.P.RowIdx[k]] = true, true
		}
	}
	s.findTerms(p)
	s.transpose(p)
	return s
}

// missing are n numbers −1.
func missing(n int) []int32 { return slices.Repeat([]int32{-1}, n) }

// findTerms takes columns for terms, those of fewest rows first: a row has one term at most.
func (s *shape) findTerms(p *qpbackend.Problem) {
	a := p.A
	var candidates []int32
	for j := range a.Cols {
		if !s.curved[j] && a.ColPtr[j+1] > a.ColPtr[j] && s.loose(p, j) {
			candidates = append(candidates, int32(j))
		}
	}
	rows := func(j int32) int { return a.ColPtr[j+1] - a.ColPtr[j] }
	slices.SortStableFunc(candidates, func(i, j int32) int { return rows(i) - rows(j) })
	for _, j := range candidates {
		of := a.RowIdx[a.ColPtr[j]:a.ColPtr[j+1]]
		if slices.ContainsFunc(of, func(i int) bool { return s.own[i] >= 0 }) {
			continue
		}
		for k, i := range of {
			s.own[i], s.ownAt[i] = j, int32(a.ColPtr[j]+k)
		}
		s.term[j] = true
		s.terms = append(s.terms, j)
	}
	slices.Sort(s.terms)
	s.common = a.Cols - len(s.terms)
}

// loose reports whether all rows of column j may be absent.
func (s *shape) loose(p *qpbackend.Problem, j int) bool {
	rows := p.A.RowIdx[p.A.ColPtr[j]:p.A.ColPtr[j+1]]
	return !slices.ContainsFunc(rows, func(i int) bool { return !s.mayLeave(p, i) })
}

// transpose lists the rows.
func (s *shape) transpose(p *qpbackend.Problem) {
	a := p.A
	s.ptr = make([]int32, a.Rows+1)
	s.col, s.at = make([]int32, a.NNZ()), make([]int32, a.NNZ())
	for _, i := range a.RowIdx {
		s.ptr[i+1]++
	}
	for i := range a.Rows {
		s.ptr[i+1] += s.ptr[i]
	}
	next := slices.Clone(s.ptr[:a.Rows])
	for j := range a.Cols {
		for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
			e := &next[a.RowIdx[k]]
			s.col[*e], s.at[*e] = int32(j), int32(k)
			*e++
		}
	}
}

// optional counts the rows that may be absent.
func (s *shape) optional(p *qpbackend.Problem) (rows int) {
	for i := range p.L {
		if s.mayLeave(p, i) {
			rows++
		}
	}
	return rows
}

// mayLeave reports whether row i may be absent: it is no equation, and of no cone.
func (s *shape) mayLeave(p *qpbackend.Problem, i int) bool { return !s.conic[i] && p.L[i] != p.U[i] }
