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
	// independent, its distance from a kink may be for its row to join. Source: a table of
	// docs/lab/large.md.
	steps = 2
	// few is the inverse of the share of the rows that may be in the set without smoothing. Source:
	// docs/lab/large.md.
	few = 50
	// part is the inverse of the share of the samples that an estimate takes, at part times their price, and of the share that is nearest to it.
	// parts is how many such shares are many. Source: derived: the estimate and the set around it are two, and some join. With 2 and 4
	// ramp_20000 of docs/lab/large.md takes more interior point iterations times rows.
	part, parts = 10, 3
	// tries is the number of sets that are made anew before rows only join. Source: derived: so
	// that there is an end; docs/lab/large.md has them.
	tries = 4
)

// samples reports whether the rows are those of samples: more than one in leastRatio has a term, and half of the columns that are no terms, or more.
// Where all have a term, the rows of a term need have that between them alone, and there have to be part terms or more for
// each of these columns.
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
	return len(s.terms) >= part*s.common && 2*entries >= len(s.terms)*s.common
}

// others reports whether a row is of no term.
func (s *shape) others() bool { return slices.Contains(s.own, -1) }

// stepped notes the sizes of a step from a point to s.x.
func (s *working) stepped(from []float64) {
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
func (s *working) aroundSamples(ctx context.Context) error {
	s.withdraw()
	s.unit, s.tries, s.estimated = s.reach, 0, false
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

// aroundEstimate makes the set anew around an estimate of the solution from s.x, which the next
// round finds where smoothing does not.
func (s *working) aroundEstimate(ctx context.Context) error {
	s.estimated, s.unit = true, nil
	s.withdraw()
	if s.others() {
		s.unit = s.reach
	}
	if s.others() {
		s.estimate()
		return nil
	}
	d := s.smooth(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	s.gather(nearest(within(s.look(), d), len(s.in)*parts/part))
	return nil
}

// gather adds the rows to a set around s.x.
func (s *working) gather(list []candidate) {
	for _, c := range list {
		s.add(c.row)
	}
	s.changed = true
	s.centre = append(s.centre[:0], s.x...)
}

// follow is join for samples: the problem of the set has led from its centre to s.x, which breaks
// the rows in the list by more than tol. Where the whole problem's objective falls on all of the
// way, the set is made anew, of the rows that are as near as those that s.x breaks. Where it rises
// at last, as rows that would have held the point are absent, there is an estimate from the least
// point on the way or, where the set is that of one, those rows join that hold the point first.
func (s *working) follow(ctx context.Context, list []candidate, tol float64) (again bool, err error) {
	if len(list) == 0 {
		return false, nil
	}
	if s.tries++; s.tries > tries || s.others() {
		return s.join(list), nil
	}
	s.unit = make([]float64, len(s.x))
	for j, v := range s.x {
		s.unit[j] = math.Abs(v - s.centre[j])
	}
	worst := 0.0
	for _, c := range s.broken(tol) {
		worst = max(worst, c.d)
	}
	end := slices.Clone(s.x)
	switch share := s.between(); {
	case share == 1:
		s.withdraw()
		s.gather(nearest(within(s.look(), steps*min(1, worst)), len(s.in)*parts/part))
		return true, nil
	case !s.estimated:
		return true, s.aroundEstimate(ctx)
	default:
		return s.joinOnTheWay(end, 2*share, tol) || s.joinOnTheWay(end, 1, tol), nil
	}
}

// joinOnTheWay moves s.x to the share of the way from the centre to a point, and lets the rows join
// that it breaks there.
func (s *working) joinOnTheWay(to []float64, share, tol float64) bool {
	s.mix(to, min(1, share))
	clear(s.ax)
	s.p.A.AddMulVec(s.ax, 1, s.x)
	return s.join(s.broken(tol))
}

// mix sets s.x to the share of the way from the centre to a point.
func (s *working) mix(to []float64, share float64) {
	for j, v := range to {
		s.x[j] = s.centre[j] + share*(v-s.centre[j])
	}
}

// between moves s.x back to the least point of the whole problem on the way from the centre of the
// set, and returns the share of the way: 1 where it is near the end. The terms of the centre get
// the values that they have there.
func (s *working) between() float64 {
	to, end := slices.Clone(s.x), slices.Clone(s.sums())
	copy(s.x, s.centre)
	begin := slices.Clone(s.sums())
	value := func(t float64) float64 {
		s.mix(to, t)
		for i, v := range end {
			s.ax[i] = begin[i] + t*(v-begin[i])
		}
		for _, j := range s.terms {
			if s.p.Q[j] != 0 {
				if row, v, _ := s.piece(j, s.ax); row != -2 {
					s.x[j] = v
				}
			}
		}
		return s.p.Objective(s.x)
	}
	share := leastOf(value)
	value(0)
	copy(s.centre, s.x)
	s.mix(to, share)
	return share
}

// leastOf is where a convex function is least from 0 to 1, to a hundredth or so, and 1 where it is
// near.
func leastOf(f func(t float64) float64) float64 {
	// Source: derived: 0.618^9 of the interval is left, a bit more than a hundredth.
	const sections = 9
	near, far, _, _ := num.GoldenSection(f, 1, 0, sections)
	if near == 1 {
		return 1
	}
	return (near + far) / 2
}

// look gives terms the state that they have at s.x, and lists the rows with their distances.
func (s *working) look() []candidate {
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
func (s *working) withdraw() {
	for _, j := range s.terms {
		for _, i := range s.rowsOf(j) {
			s.exclude(int32(i))
		}
		s.rest(j)
	}
}

// estimate lets a part of the terms join, spread evenly over all. With these at a multiple of their
// price, and the others left out, the problem of the set is an estimate of the whole.
func (s *working) estimate() {
	s.estimating = true
	for k, j := range s.terms {
		if _, share := math.Modf(float64(k) * num.Golden); share*part < 1 {
			for _, i := range s.rowsOf(j) {
				s.add(int32(i))
			}
		}
	}
}

// reprice gives the terms the prices of an estimate, and returns the way back.
func (s *working) reprice() (back func()) {
	price := slices.Clone(s.p.Q)
	for _, j := range s.terms {
		if s.state[j] == free {
			s.p.Q[j] *= part
		} else {
			s.p.Q[j] = 0
		}
	}
	return func() { copy(s.p.Q, price) }
}

// follows makes the set around the estimate; where it has no solution, around s.x.
func (s *working) follows(res *qpbackend.Result) {
	s.estimating = false
	if res.Status == qpbackend.Solved {
		s.restore(res)
	}
	s.withdraw()
	most := len(s.in) * parts / part
	if s.others() {
		most = max(s.least, len(s.in)/part)
	}
	s.gather(nearest(s.look(), most))
}
