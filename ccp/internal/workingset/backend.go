package workingset

import (
	"context"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/reduce"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Reduction is for problems for which Pays is true; it leaves others as they are.
type Reduction struct {
	least int // of tests: rows that join at once, whatever Pays says; 0: none
}

// A working set is for problems of at least leastRows rows that may be absent, and at least
// leastRatio times as many as there are columns that are no terms; where the rows are dense, as
// those of samples with all their features are, of at least leastDense, or of leastSamples if all
// are of terms and smoothing finds the set. Source: else the whole problem takes less time
// (docs/lab/large.md).
const (
	leastRows    = 1000
	leastRatio   = 5
	leastDense   = 10_000
	leastSamples = 3000
)

// Pays reports whether p has the shape for which a working set pays.
func Pays(p *qpbackend.Problem) bool {
	if _, m := p.Dims(); m < leastRows || p.A == nil {
		return false
	}
	q := *p
	if q.P == nil {
		q.P = sparse.Zero(len(p.Q), len(p.Q))
	}
	return newShape(&q).pays(&q)
}

// Chooses reports whether b solves p by a working set.
func Chooses(b qpbackend.Backend, p *qpbackend.Problem) bool {
	c, _ := b.(reduce.Backend)
	_, is := c.Reduction.(Reduction)
	return is && Pays(p)
}

func (s *shape) pays(p *qpbackend.Problem) bool {
	rows := s.optional(p)
	return rows >= leastRows && rows >= leastRatio*s.common &&
		(rows >= leastDense || !s.dense(p.A) || rows >= leastSamples && !s.others() && s.samples(p))
}

// dense reports whether half of the pairs of a row and a column that is no term have an entry, of
// the rows with more than one.
func (s *shape) dense(a *sparse.CSC) bool {
	count := make([]int, a.Rows)
	for _, i := range a.RowIdx {
		count[i]++
	}
	rows, entries := 0, 0
	for _, n := range count {
		if n > 1 {
			rows++
			entries += n
		}
	}
	return 2*entries >= rows*s.common
}

// New is a working set without rows.
func (r Reduction) New(_ context.Context, p *qpbackend.Problem, set qpbackend.Settings) (reduce.Reduced, error) {
	if r.least == 0 && !Pays(p) {
		return nil, nil
	}
	n, m := p.Dims()
	s := &working{p: p, set: set, shape: newShape(p), least: leastSet}
	if r.least > 0 {
		s.least = r.least
	}
	s.sampled = s.samples(p)
	s.x, s.y, s.z, s.ax = make([]float64, n), make([]float64, m), make([]float64, n), make([]float64, m)
	return s, nil
}
