package workingset

import (
	"context"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
)

// Of samples that have a term each, as hinges, absolute values and maxima of a regression are,
// every step moves all: the set is that around the least point of the terms smoothed or, where
// there are other rows besides, the nearest ones.
const (
	// part is the inverse of the share of the samples that join where there are other rows. Source:
	// with 5, 10 and 20 a ramp of 20,000 samples with a budget takes 1.32, 1.19 and 1.72 s.
	part = 10
	// mostShare is the share of the rows that join around a smoothed point, at most. Source:
	// derived: a set of more is no smaller problem.
	mostShare = 0.3
	// termsFor is the least number of terms for each column that is no term. Source: a choice;
	// samples of docs/lab/large.md have 25 and more.
	termsFor = 10
)

// samples reports whether the rows are those of samples: more than one in leastRatio has a term,
// and half of the columns that are no terms, or more. Where all have a term, the rows of a term
// need have that between them alone, and there have to be termsFor terms or more for each of these
// columns.
func (s *shape) samples(p *qpbackend.Problem) bool {
	if s.others() {
		return s.dense(p.A) && s.optional(p) < leastRatio*len(s.terms)
	}
	last, entries := missing(len(s.term)), 0
	for _, j := range s.terms {
		for _, i := range p.A.RowIdx[p.A.ColPtr[j]:p.A.ColPtr[j+1]] {
			for _, c := range s.col[s.ptr[i]:s.ptr[i+1]] {
				if !s.term[c] && last[c] != j {
					last[c] = j
					entries++
				}
			}
		}
	}
	return len(s.terms) >= termsFor*s.common && 2*entries >= len(s.terms)*s.common
}

// others reports whether a row is of no term.
func (s *shape) others() bool { return slices.Contains(s.own, -1) }

// aroundSamples is around for samples: those near the least point of the terms smoothed join.
func (s *working) aroundSamples(ctx context.Context) (err error) {
	s.withdraw()
	var near []candidate
	if s.others() {
		near = nearest(s.look(), max(s.least, len(s.in)/part))
	} else {
		d := s.smooth(ctx)
		if err = ctx.Err(); err != nil {
			return err
		}
		near = nearest(within(s.look(), d), int(mostShare*float64(len(s.in))))
	}
	for _, c := range near {
		s.add(c.row)
	}
	s.changed = true
	return nil
}

// look gives terms the state that they have at s.x, and lists the rows with their distances.
func (s *working) look() []candidate {
	sums := s.sums()
	s.settle(true, sums)
	return s.distances(sums)
}

// withdraw takes the terms and their rows out of the set.
func (s *working) withdraw() {
	for _, j := range s.terms {
		for _, i := range s.rowsOf(j) {
			s.exclude(int32(i))
		}
		s.rest(j)
	}
}
