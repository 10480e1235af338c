package workingset

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
)

// Of samples that have a term each, as hinges and absolute values of a regression are, every step moves all: those that it may move
// beyond a kink are in the set. Where they are many, the set is that around the solution with a part of the samples.
const (
	// steps is how many times the change that the last step would make to a sample, were the changes of the variables
	// independent, its distance from a kink may be for its row to join. Source: a table of docs/large.md.
	steps = 2
	// part is the inverse of the share of the samples that an estimate takes, at part times their price, and of the share that is nearest to it.
	// parts is how many such shares are many. Source: derived: the estimate and the set around it are two, and some join. With 2 and 4
	// ramp_20000 of docs/large.md takes more interior point iterations times rows.
	part, parts = 10, 3
)

// samples reports whether the rows are those of samples: half of the columns that are no terms, or more, and more
// than one in leastRatio has a term of its own.
func (s *shape) samples(p *qpbackend.Problem) bool {
	return s.dense(p.A) && s.optional(p) < leastRatio*len(s.terms)
}

// spread is the unit of distances from row i: the deviation of its sum in a step, where steps are known, else the norm of
// its coefficients.
func (s *solver) spread(i int32) float64 {
	if s.reach == nil {
		return s.norm(i)
	}
	sum := 0.0
	for e := s.ptr[i]; e < s.ptr[i+1]; e++ {
		if at := s.at[e]; at != s.ownAt[i] {
			v := s.p.A.Val[at] * s.reach[s.col[e]]
			sum += v * v
		}
	}
	return math.Sqrt(sum)
}

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

// aroundSamples is around for samples: those within reach of a step join, or, where there is no step yet or they are many, those nearest to the
// solution with a part of them.
func (s *solver) aroundSamples(ctx context.Context) (iterations int, err error) {
	s.withdraw()
	list := s.look()
	near := within(list, steps)
	if s.reach == nil || part*len(near) > parts*len(s.in) {
		err = s.estimate(ctx)
		if iterations = s.res.Iterations; err != nil {
			return iterations, err
		}
		list = s.look()
		near = nearest(list, max(s.least, len(s.in)/part))
	}
	for _, c := range near {
		s.add(c.row)
	}
	return iterations, nil
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
	const golden = 0.6180339887498949 // the golden ratio less 1. Source: multiples of it, without their whole parts, are spread evenly
	for k, j := range s.terms {
		if _, share := math.Modf(float64(k) * golden); share*part < 1 {
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
