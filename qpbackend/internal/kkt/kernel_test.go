package kkt

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/cpu"
)

// Vector operations of any length are those by definition, and touch nothing
// else.
func TestVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for n := range 70 {
		v := make([][]float64, 3)
		for k := range v {
			v[k] = make([]float64, n+1)
			for i := range v[k] {
				v[k][i] = rng.NormFloat64()
			}
		}
		for _, w := range []vectors{false, vectors(cpu.Wide())} {
			times, added, both := slices.Clone(v[2]), slices.Clone(v[2]), slices.Clone(v[2])
			scaled(times[:n], 0.3, v[0])
			w.axpy(added[:n], 0.3, v[0])
			dot := w.dot(v[0][:n], v[1])
			same := w.dotAxpy(v[0][:n], v[1], both, 0.3)
			want := 0.0
			for i := range n {
				want += v[0][i] * v[1][i]
				sum := v[2][i] + 0.3*v[0][i]
				if times[i] != 0.3*v[0][i] || !(math.Abs(added[i]-sum) <= 1e-15) || !(math.Abs(both[i]-sum) <= 1e-15) {
					t.Fatalf("wide %v, length %d: entry %d is %g, %g and %g", w, n, i, times[i], added[i], both[i])
				}
			}
			if !(math.Abs(dot-want) <= 1e-13) || !(math.Abs(same-want) <= 1e-13) {
				t.Errorf("wide %v, length %d: products are %g and %g, want %g", w, n, dot, same, want)
			}
			if times[n] != v[2][n] || added[n] != v[2][n] || both[n] != v[2][n] {
				t.Errorf("wide %v, length %d: the entry behind has changed", w, n)
			}
		}
	}
}
