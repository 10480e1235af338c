package workingset

import (
	"context"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Backend solves problems with Inner, those for which Pays is true by a working set.
type Backend struct {
	Inner  qpbackend.Backend
	Shares bool // solvers share the values of A with the problem: whoever changes them calls Update with them before the next Solve
	least  int  // of tests: rows that join at once, whatever Pays says; 0: none
}

// Name is that of Inner.
func (b Backend) Name() string { return b.Inner.Name() }

// Supports is that of Inner.
func (b Backend) Supports(k qpbackend.ConeKind) bool { return b.Inner.Supports(k) }

// DefaultSettings are those of Inner.
func (b Backend) DefaultSettings() qpbackend.Settings { return b.Inner.DefaultSettings() }

// A working set is for problems of at least leastRows rows that may be absent, and at least
// leastRatio times as many as there are columns that are no terms; where the rows are dense, as those of samples
// with all their features are, of at least leastDense, or of leastSamples if all are of terms and smoothing finds the set.
// Source: else the whole problem takes less time (docs/lab/large.md).
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
	_, is := b.(Backend)
	return is && Pays(p)
}

func (s *shape) pays(p *qpbackend.Problem) bool {
	rows := s.optional(p)
	return rows >= leastRows && rows >= leastRatio*s.common &&
		(rows >= leastDense || !s.dense(p.A) || rows >= leastSamples && !s.others() && s.samples(p))
}

// dense reports whether half of the pairs of a row and a column that is no term have an entry, of the rows with more than one.
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

// New prepares the solution of p by a working set, or by Inner alone.
func (b Backend) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	if b.least == 0 && !Pays(p) {
		return b.Inner.New(ctx, p, set)
	}
	a := p.A
	p, err := qpbackend.PrepareValues(ctx, b, p, set)
	if err != nil {
		return nil, err
	}
	if b.Shares {
		p.A.Val = a.Val
	}
	s := newSolver(p, b.Inner, set)
	s.shares = b.Shares
	if s.least = leastSet; b.least > 0 {
		s.least = b.least
	}
	return s, nil
}
