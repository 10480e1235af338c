package matrix

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkSubtract has the speed of products, and of those of which the upper triangle counts.
func BenchmarkSubtract(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, size := range [][3]int{{4, 4, 60}, {8, 8, 60}, {12, 12, 60}, {16, 16, 100}, {20, 20, 60}, {24, 24, 60}, {32, 32, 60}, {48, 48, 48}, {64, 64, 64}, {100, 100, 100}, {250, 250, 250}, {1000, 1000, 48}, {1000, 1000, 400}, {1000, 1000, 4000}} {
		height, width, k := size[0], size[1], size[2]
		x, y, s := make([]float64, k*height), make([]float64, k*width), make([]float64, height*width)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for i := range y {
			y[i] = rng.NormFloat64()
		}
		for _, upper := range []bool{false, true} {
			for _, wide := range widths() {
				f := newProduct(wide > 0, wide > 1)
				b.Run(fmt.Sprintf("%dx%dx%d/upper=%v/wide=%d", height, width, k, upper, wide), func(b *testing.B) {
					for b.Loop() {
						f.Subtract(s, width, x, y, k, height, width, height, width, upper)
					}
					flops := 2 * float64(k*height*width)
					if upper {
						flops /= 2
					}
					b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
				})
			}
		}
	}
}
