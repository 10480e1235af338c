package factorable

import (
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/interval"
)

// TestTrianglesHold: at points of random boxes no triangle inequality is broken, and each
// holds with equality at some corner.
func TestTrianglesHold(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	for kind := range Triangles {
		c := Cut{Kind: kind, Cols: [3]int{0, 1, 2}, Terms: [3]int{3, 4, 5}}
		for range 200 {
			box := make([]Interval, 3)
			for j := range box {
				lo := 10*rng.Float64() - 5
				box[j] = interval.New(lo, lo+0.01+5*rng.Float64())
			}
			lin, prod, constant := c.Row(box)
			value := func(x [3]float64) float64 {
				v := constant.Lo
				for i := range 3 {
					v += lin[i].Lo * x[i]
				}
				return v + prod[0].Lo*x[0]*x[1] + prod[1].Lo*x[0]*x[2] + prod[2].Lo*x[1]*x[2]
			}
			top := -1.0
			for corner := range 8 {
				var x [3]float64
				for i := range x {
					if x[i] = box[i].Lo; corner>>i&1 == 1 {
						x[i] = box[i].Hi
					}
				}
				top = max(top, value(x))
			}
			if top > 1e-6 || top < -1e-6 {
				t.Fatalf("kind %d: %g at the best corner, want 0", kind, top)
			}
			var x [3]float64
			for i := range x {
				x[i] = box[i].Lo + rng.Float64()*interval.Width(box[i])
			}
			if v := value(x); v > 1e-6 {
				t.Fatalf("kind %d: %g inside", kind, v)
			}
		}
	}
}
