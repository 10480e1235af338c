package dc

import (
	"math/rand/v2"
)

// Samples is how many members the largest family of e has, functions that differ in numbers alone.
// It is 0 where there is no family, as before Model.Problem.
func (e scalar) Samples() (n int) {
	for _, t := range e.terms {
		if f := familyIn(t.f); f != nil {
			n = max(n, f.plan.N)
		}
	}
	return n
}

// Sample estimates e from some of its functions: count members of each family of more than twice as
// many stay, drawn without replacement, in their order, with weights that are larger by the share
// of those that are gone. Families of as many members keep the same ones. Other functions stay as
// they are. The draw depends on seed alone. It is the sample average approximation (Kleywegt,
// Shapiro and Homem-de-Mello 2002). ok is false where all would stay.
//
// The sample is for values and gradients: its splits have no majorants, see Problem.Exact. It takes
// memory for its own members alone, and e may be in use meanwhile.
func (e scalar) Sample(count int, seed uint64) (sample scalar, ok bool) {
	rng := rand.New(rand.NewPCG(seed, 0x7361)) // stream "sa": each use of the seed has its own
	sample = scalar{lin: e.lin, composite: true, lazy: &lazySplit{}, of: e.of, err: e.err}
	drawn := map[int][]int32{}
	for _, t := range e.terms {
		if f := familyIn(t.f); f != nil && count > 0 && f.plan.N > 2*count {
			n := f.plan.N
			if drawn[n] == nil {
				drawn[n] = subset(count, n, rng)
			}
			t.f, ok = f.take(drawn[n], float64(n)/float64(count)).function(), true
		}
		sample.terms = append(sample.terms, t)
	}
	return sample, ok
}

// subset is count of the numbers below n, ascending, each set of them as likely as any other:
// selection sampling, Knuth 1997, algorithm 3.4.2 S.
func subset(count, n int, rng *rand.Rand) []int32 {
	list := make([]int32, 0, count)
	for i := range n {
		if rng.IntN(n-i) < count-len(list) {
			list = append(list, int32(i))
		}
	}
	return list
}

// Samples is how many functions a sum has of which a sample estimates it, 0 where it is none.
func (a Expr) Samples() int { return a.one().Samples() }

// Sample is an estimate of a sum of many functions: see Samples.
func (a Expr) Sample(n int, seed uint64) (Expr, bool) {
	e, ok := a.one().Sample(n, seed)
	return number(e), ok
}
