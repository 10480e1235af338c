package search

import "math/rand/v2"

// nearShare is how far τ begins, for a variation of a good point, on the way from τ₀ to
// where the constraints come first: entries that are not drawn are to stay in place. Source:
// ablation table of docs/lab/ccp.md.
const nearShare = 0.78

// Vary makes the starting point x a variation of best: most entries are those of best,
// the others stay. It returns how far τ begins on the way to where the constraints come
// first, in logarithms.
func Vary(x, best []float64, seed uint64) (share float64) {
	rng := rand.New(rand.NewPCG(seed, 0x7661)) // stream "va": each use of the seed has its own
	for j := range x {
		if rng.Float64() >= Redrawn {
			x[j] = best[j]
		}
	}
	return nearShare
}
