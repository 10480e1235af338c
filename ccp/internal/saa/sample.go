package saa

import (
	"cmp"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/search"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/program"
)

const (
	// leastCount and perVariable are how many members the first sample has: the larger of the one
	// and the product of the other and the variables. Of a sum with fewer members it is the share
	// of them that growth leaves room for, with leastPerVariable for each variable or more. Source:
	// docs/lab/large.md, Constants.
	leastCount, perVariable, leastPerVariable = 250, 16, 8
	// growth is how many times as large the next sample is, and of how many starts one is left.
	// Source: docs/lab/large.md, Constants.
	growth = 4
	// mostStarts bounds the starts, and so does twice the number of first samples in the sum; with
	// fewer than fewestStarts there are none. Source: docs/lab/large.md, Constants.
	mostStarts, fewestStarts = 64, 8
	// mostVariables bounds the order of an inverse Hessian. Source: a limit of memory: 8 MB.
	mostVariables = 1000
	// mostEvaluations bounds the evaluations, in those of the whole sum. Source: a limit of time:
	// convex problems of fits take a hundred each.
	mostEvaluations = 250
	// tolerance is the gain of five steps that counts, relative to the lowest value. Source:
	// docs/lab/large.md, Constants.
	tolerance = 1e-4
)

// end is where a descent has ended, and the value of the sample there.
type end struct {
	x     []float64
	value float64
}

// Best compares descents from some starts on samples that grow while the starts become fewer, and
// returns the best end. ok is false where samples are of no use, as there are constraints or the
// sum is too small, and where the end is no lower than start 0.
func (s *Stage) Best() (x []float64, ok bool) {
	p := s.Problem
	n := family.Samples(p.Objective)
	if n < fewestStarts/2*leastCount || len(p.Constraints) > 0 || p.Objective.IsConvex() {
		return nil, false
	}
	d := descents{Stage: s}
	d.lo, d.hi = p.Box()
	for j := range d.lo {
		if d.lo[j] < d.hi[j] {
			d.free = append(d.free, j)
		}
	}
	count := max(leastCount, min(perVariable*len(d.free), n/growth))
	starts := min(mostStarts, 2*n/count)
	if starts < fewestStarts || count < leastPerVariable*len(d.free) || len(d.free) > mostVariables {
		return nil, false
	}
	ends := make([]end, starts)
	for i := range ends {
		ends[i].x = s.Draw(i)
	}
	first := p.Objective.Value(ends[0].x)
	for seed := s.Seed; growth*count <= n && !s.Ended(); seed++ {
		f, ok := family.SampleOf(p.Objective, count, seed)
		if !ok {
			break
		}
		d.round(f, float64(count)/float64(n), ends)
		ends = ends[:(len(ends)+growth-1)/growth]
		count *= growth
	}
	value := p.Objective.Value(ends[0].x)
	return ends[0].x, value < first || num.Finite(value) && !num.Finite(first)
}

// descents are those of a stage.
type descents struct {
	*Stage
	lo, hi []float64
	free   []int
	spent  float64 // evaluations of the whole sum
}

// round goes down on the sample f, a share of the sum, from all ends and puts the lowest first.
func (d *descents) round(f expr.Scalar, share float64, ends []end) {
	down := search.Descent{
		Free: d.free,
		Value: func(x, grad []float64) float64 {
			d.spent += share
			for _, j := range d.free {
				if !(x[j] >= d.lo[j] && x[j] <= d.hi[j]) {
					return math.NaN()
				}
			}
			return f.AddGradient(grad, 1, x)
		},
		Sizes: func(x []float64) []float64 {
			return search.Sizes(d.Problem, x, func(v *program.Variable) float64 { return max(v.Size(), 1) })
		},
		Stop: func(bool) bool { return d.spent > mostEvaluations || d.Ended() },
	}
	bar := f.Value(ends[0].x)
	for i := range ends {
		e := &ends[i]
		least := 0.0
		if num.Finite(bar) {
			least = tolerance * math.Abs(bar)
		} else {
			bar = math.Inf(1)
		}
		x, v := down.From(e.x, bar, least)
		e.x, e.value = slices.Clone(x), v
		bar = min(bar, v)
	}
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(a.value, b.value) })
}
