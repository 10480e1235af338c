package workingset

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// Of samples that have a term each, as hinges, absolute values and maxima of a regression are, every step moves all: those that it may move
// beyond a kink are in the set. Where they are many, the set is that around the least point of the terms smoothed or, where there are other rows
// besides, around the solution with a part of the samples.
const (
	// steps is how many times the change that the last step would make to a sample, were the changes of the variables
	// independent, its distance from a kink may be for its row to join. Source: a table of docs/large.md.
	steps = 2
	// few is the inverse of the share of the rows that may be in the set without smoothing. Source: docs/large.md.
	few = 50
	// part is the inverse of the share of the samples that an estimate takes, at part times their price, and of the share that is nearest to it.
	// parts is how many such shares are many. Source: derived: the estimate and the set around it are two, and some join. With 2 and 4
	// ramp_20000 of docs/large.md takes more interior point iterations times rows.
	part, parts = 10, 3
)

// samples reports whether the rows are those of samples: more than one in leastRatio has a term, and half of the columns that are no terms, or more.
// Where all have a term, the rows of a term need have that between them alone, and there have to be part terms or more for
// each of these columns.
func (s *shape) samples(p *qpbackend.Problem) bool {
	if s.others() {
		return s.dense(p.A) && s.optional(p) < leastRatio*len(s.terms)
	}
	last, entries := none(len(s.term)), 0
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
	return len(s.terms) >= part*s.common && 2*entries >= len(s.terms)*s.common
}

// others reports whether a row is of no term.
func (s *shape) others() bool { return slices.Contains(s.own, -1) }

// stepped notes the sizes of a step from a point to s.x.
func (s *solver) stepped(from []float64) {
	if s.reach == nil {
		s.reach = make([]float64, len(s.x))
	}
	for j, v := range s.x {
		if !s.term[j] {
			s.reach[j] = max(s.reach[j]/2, math.Abs(v-from[j]))
		}
	}
}

// aroundSamples is around for samples: those within reach of a step join, or, where there is no step yet or they are many, those near an estimate.
func (s *solver) aroundSamples(ctx context.Context) error {
	s.withdraw()
	s.unit = s.reach
	near, many := within(s.look(), steps), float64(few)
	if s.others() {
		many = part / float64(parts)
	}
	if s.reach == nil || many*float64(len(near)) > float64(len(s.in)) {
		return s.aroundEstimate(ctx)
	}
	s.gather(near)
	return nil
}

// aroundEstimate makes the set anew around an estimate of the solution from s.x.
func (s *solver) aroundEstimate(ctx context.Context) error {
	s.unit = nil
	s.withdraw()
	if s.others() {
		s.unit = s.reach
		if err := s.estimate(ctx); err != nil {
			return err
		}
		s.gather(nearest(s.look(), max(s.least, len(s.in)/part)))
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	d := s.smooth(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	s.gather(nearest(within(s.look(), d), len(s.in)*parts/part))
	return nil
}

// gather adds the rows to the set.
func (s *solver) gather(list []candidate) {
	for _, c := range list {
		s.add(c.row)
	}
	s.changed = true
}

// look gives terms the state that they have at s.x, and lists the rows with their distances.
func (s *solver) look() []candidate {
	sums := s.sums()
	s.settle(true, sums)
	return s.distances(sums)
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

// withdraw takes the terms and their rows out of the set.
func (s *solver) withdraw() {
	for _, j := range s.terms {
		for _, i := range s.rowsOf(j) {
			s.exclude(int32(i))
		}
		s.rest(j)
	}
}

// estimate moves s.x to the solution with a part of the terms at a multiple of their price, the others left out. Where there is
// none, it stays. The terms of the part are spread evenly over all.
func (s *solver) estimate(ctx context.Context) error {
	for k, j := range s.terms {
		if _, share := math.Modf(float64(k) * num.Golden); share*part < 1 {
			for _, i := range s.rowsOf(j) {
				s.add(int32(i))
			}
		}
	}
	s.price = s.price[:0]
	for _, j := range s.terms {
		if s.price = append(s.price, s.p.Q[j]); s.state[j] == free {
			s.p.Q[j] *= part
		} else {
			s.p.Q[j] = 0
		}
	}
	err := s.round(ctx, false)
	for k, j := range s.terms {
		s.p.Q[j] = s.price[k]
	}
	if err == nil && s.res.Status == qpbackend.Solved {
		s.restore(&s.res)
	}
	s.withdraw()
	return err
}
