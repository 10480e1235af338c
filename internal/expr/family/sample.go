package family

import (
	"math/rand/v2"

	"github.com/dcopt/dcopt/internal/expr"
)

// Samples is how many members the largest family of e has, functions that differ in numbers alone.
// It is 0 where there is no family, as before Model.Problem.
func Samples(e expr.Scalar) (n int) {
	for _, t := range e.Terms {
		if f := FamilyIn(t.F); f != nil {
			n = max(n, f.Plan.N)
		}
	}
	return n
}

// sampled estimates e from some of its functions: count members of each family of more than twice
// as many stay, drawn without replacement, in their order, with weights that are larger by the
// share of those that are gone. Families of as many members keep the same ones. Other functions
// stay as they are. The draw depends on seed alone. It is the sample average approximation
// (Kleywegt, Shapiro and Homem-de-Mello 2002). ok is false where all would stay.
//
// The sample is for values and gradients: its splits have no majorants, see Problem.Exact. It takes
// memory for its own members alone, and e may be in use meanwhile.
func SampleOf(e expr.Scalar, count int, seed uint64) (sample expr.Scalar, ok bool) {
	rng := rand.New(rand.NewPCG(seed, 0x7361)) // stream "sa": each use of the seed has its own
	sample = expr.Scalar{Lin: e.Lin, Composite: true, Lazy: &expr.LazySplit{}, Of: e.Of, Err: e.Err}
	drawn := map[int][]int32{}
	for _, t := range e.Terms {
		if f := FamilyIn(t.F); f != nil && count > 0 && f.Plan.N > 2*count {
			n := f.Plan.N
			if drawn[n] == nil {
				drawn[n] = Subset(count, n, rng)
			}
			t.F, ok = f.take(drawn[n], float64(n)/float64(count)).function(), true
		}
		sample.Terms = append(sample.Terms, t)
	}
	return sample, ok
}

// Subset is count of the numbers below n, ascending, each set of them as likely as any other:
// selection sampling, Knuth 1997, algorithm 3.4.2 S.
func Subset(count, n int, rng *rand.Rand) []int32 {
	list := make([]int32, 0, count)
	for i := range n {
		if rng.IntN(n-i) < count-len(list) {
			list = append(list, int32(i))
		}
	}
	return list
}
