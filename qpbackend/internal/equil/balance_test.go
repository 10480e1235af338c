package equil

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/cpu"
)

// TestBalance: kernels and loops make the same factors, also at the ends of the range, of zeros and
// of huge numbers.
func TestBalance(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for trial := range 300 {
		n := rng.IntN(40)
		factors, norms := make([]float64, n), make([]float64, n)
		for j := range factors {
			factors[j], norms[j] = math.Pow(10, 8*rng.Float64()-4), math.Exp(4*rng.NormFloat64())
			switch rng.IntN(20 + 10*(trial%3)) {
			case 0:
				norms[j] = 0
			case 1:
				norms[j] = math.Pow(10, 60*rng.Float64()-30)
			case 2:
				norms[j] = math.Inf(1)
			}
		}
		want, most := make([]float64, n), 0.5
		for j, f := range factors {
			d := 1.0
			if norms[j] > 0 {
				d = min(max(1/math.Sqrt(norms[j]), smallest/f), largest/f)
			}
			want[j], most = f*d, max(most, math.Abs(d-1))
		}
		for _, wide := range []bool{false, cpu.Wide()} {
			got := append([]float64(nil), factors...)
			if change := balance(got, norms, 0.5, wide); change != most {
				t.Fatalf("wide %v: change %g, want %g", wide, change, most)
			}
			for j, v := range got {
				if v != want[j] {
					t.Fatalf("wide %v: factor %d of %d is %g, want %g", wide, j, n, v, want[j])
				}
			}
		}
	}
}
