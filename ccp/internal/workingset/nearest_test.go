package workingset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNearest: selection takes those that sorting takes, also where many are equal.
func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		list := make([]candidate, rng.IntN(200))
		for k := range list {
			list[k] = candidate{int32(k), float64(rng.IntN(1 + rng.IntN(100)))}
		}
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		sorted := slices.Clone(list)
		order := func(a, b candidate) int {
			if a.before(b) {
				return -1
			}
			return 1
		}
		slices.SortFunc(sorted, order)
		k := rng.IntN(210)
		got := slices.Clone(nearest(list, k))
		slices.SortFunc(got, order)
		if !slices.Equal(got, sorted[:min(k, len(sorted))]) {
			t.Fatalf("%d of %d: %v, want %v", k, len(list), got, sorted[:min(k, len(sorted))])
		}
	}
}
