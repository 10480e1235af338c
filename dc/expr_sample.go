//go:build !lean

package dc

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// Samples is how many members the largest family of e has, functions that differ in numbers alone. Members that take the coefficients of
// others once more do not count. It is 0 where there is no family, as before Model.Problem.
func (e Expr) Samples() (n int) {
	for _, t := range e.terms {
		if f, ok := t.f.(*family); ok {
			n = max(n, f.samples())
		}
	}
	return n
}

// Sample estimates e from some of its functions: count members of each family of more than twice as many stay, drawn without replacement,
// in their order, with weights that are larger by the share of those that are gone. Families of as many members keep the same ones, and
// so do the parts of a family that take the same coefficients once more. Other functions stay as they are. The draw depends on seed alone.
// It is the sample average approximation (Kleywegt, Shapiro and Homem-de-Mello 2002). ok is false where all would stay.
//
// The sample is for values and gradients: its splits have no majorants, see Problem.Exact. It takes memory for its own members alone, and
// e may be in use meanwhile.
func (e Expr) Sample(count int, seed uint64) (sample Expr, ok bool) {
	rng := rand.New(rand.NewPCG(seed, 0x7361)) // stream "sa": each use of the seed has its own
	sample = Expr{lin: e.lin, composite: true, lazy: &lazySplit{}, of: e.of, err: e.err}
	drawn := map[int][]int32{}
	for _, t := range e.terms {
		if f, is := t.f.(*family); is && count > 0 && f.samples() > 2*count {
			t.f, ok = f.sampled(count, rng, drawn), true
		}
		sample.terms = append(sample.terms, t)
	}
	return sample, ok
}

// samples is how many members have coefficients of their own: the others, in the same order, take them once more. Where all have the same ones
// it is the number of members.
func (f *family) samples() int {
	for k := range f.rows {
		if !f.rows[k].shared {
			return f.period
		}
	}
	return len(f.w)
}

// sampled is f with count of the members, or of those of each period. drawn has the members that stay, by the number of all.
func (f *family) sampled(count int, rng *rand.Rand, drawn map[int][]int32) *family {
	n := f.samples()
	if drawn[n] == nil {
		drawn[n] = subset(count, n, rng)
	}
	var list []int32
	for from := 0; from < len(f.w); from += n {
		for _, i := range drawn[n] {
			list = append(list, int32(from)+i)
		}
	}
	out := &family{program: f.part(list), w: some(f.w, list)}
	floats.Scale(float64(n)/float64(count), out.w)
	out.finish(sharedLists{})
	return out
}

// subset is count of the numbers below n, ascending, each set of them as likely as any other: selection sampling, Knuth 1997, algorithm
// 3.4.2 S.
func subset(count, n int, rng *rand.Rand) []int32 {
	list := make([]int32, 0, count)
	for i := range n {
		if rng.IntN(n-i) < count-len(list) {
			list = append(list, int32(i))
		}
	}
	return list
}
