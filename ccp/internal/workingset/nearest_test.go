package workingset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNearest: selection takes as many and as near as sorting takes, also where many are equal, and
// each once.
func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		list := make([]candidate, rng.IntN(200))
		var sorted []float64
		for k := range list {
			list[k] = candidate{int32(k), float64(rng.IntN(1 + rng.IntN(100)))}
			sorted = append(sorted, list[k].d)
		}
		slices.Sort(sorted)
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		k := rng.IntN(210)
		var got []float64
		rows := map[int32]bool{}
		for _, c := range nearest(list, k) {
			got, rows[c.row] = append(got, c.d), true
		}
		slices.Sort(got)
		if want := sorted[:min(k, len(sorted))]; !slices.Equal(got, want) || len(rows) != len(want) {
			t.Fatalf("%d of %d: %v, want %v", k, len(list), got, want)
		}
	}
}
