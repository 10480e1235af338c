package subproblem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/convex"
)

// TestAddOuter compares sums of products of full rows, few and many, short and long, with the
// definition.
func TestAddOuter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, size := range [][2]int{{1, 3}, {4, 7}, {3, 95}, {1, 96}, {5, 99}, {blockRows + 3, 200}} {
		rows, n := make([]convex.Linear, size[0]), size[1]
		for r := range rows {
			rows[r].Val = make([]float64, n)
			for j := range n {
				rows[r].Val[j] = rng.NormFloat64()
			}
		}
		g := make([]float64, n*n)
		for k := range g {
			g[k] = 1
		}
		NewBuilder(t.Context(), 0).addOuter(g, 0.7, rows, n)
		for i := range n {
			for j := i; j < n; j++ {
				want := 1.0
				for _, l := range rows {
					want += 2 * 0.7 * l.Val[i] * l.Val[j]
				}
				if !(math.Abs(g[i*n+j]-want) <= 1e-12*(1+math.Abs(want))) {
					t.Fatalf("%d rows of %d: entry (%d, %d) is %g, want %g", size[0], n, i, j, g[i*n+j], want)
				}
			}
		}
	}
}
