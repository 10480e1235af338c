package ldl

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/need"
	"github.com/dcopt/dcopt/internal/simd"
)

// TestPanelProducts compares the products of the solution phase with sums, at
// every width and every remainder, and looks for writes outside.
func TestPanelProducts(t *testing.T) {
	need.That(t, cpu.Wide(), need.AVX2)
	rng := rand.New(rand.NewPCG(2, 1))
	for width := 1; width <= maxWidth; width++ {
		for groups := 1; groups <= 3; groups++ {
			rows := 4 * groups
			// What lies behind the operands must not be used.
			panel, x, y := randomVec(rng, rows*width+4), randomVec(rng, width+4), randomVec(rng, rows+4)
			for k := range 4 {
				panel[rows*width+k], x[width+k], y[rows+k] = math.NaN(), math.NaN(), math.NaN()
			}
			product, rest := make([]float64, rows+1), slices.Clone(x)
			product[rows] = 7
			simd.MulPanel(&panel[0], groups, width, &x[0], &product[0])
			simd.SubtractMulPanelT(&panel[0], groups, width, &y[0], &rest[0])
			if product[rows] != 7 || !math.IsNaN(rest[width]) {
				t.Fatalf("%d × %d: a write behind the end", rows, width)
			}
			for r := range rows {
				want := 0.0
				for c := range width {
					want += panel[r*width+c] * x[c]
				}
				if !(math.Abs(product[r]-want) <= 1e-13*float64(width)) {
					t.Fatalf("%d × %d: entry %d is %g, want %g", rows, width, r, product[r], want)
				}
			}
			for c := range width {
				want := x[c]
				for r := range rows {
					want -= panel[r*width+c] * y[r]
				}
				if !(math.Abs(rest[c]-want) <= 1e-12) {
					t.Fatalf("%d × %d transposed: entry %d is %g, want %g", rows, width, c, rest[c], want)
				}
			}
		}
	}
}

// The factor by tiles of either kind has the same bits.
func TestFactorsRoundAlike(t *testing.T) {
	need.That(t, cpu.Wider(), need.AVX512)
	rng := rand.New(rand.NewPCG(5, 5))
	for trial := range 20 {
		n, m := 1+rng.IntN(150), rng.IntN(150)
		k, sign := quasiDefinite(rng, n, m, 0.5+8*rng.Float64())
		var l [2][]float64
		for w := range l {
			f := mustAnalyse(t, k, "supernodal")
			f.sup.tiles = simd.TilesOf(w > 0)
			if _, err := f.Factorise(context.Background(), k.Val, sign, Regularisation{1e-13, 1e-7}); err != nil {
				t.Fatal(err)
			}
			for q := range f.sup.count() {
				n, next := f.sup.node[q], f.sup.node[q+1]
				width := int(next.first - n.first)
				for r, v := range f.sup.val[n.val:next.val] {
					if r%width <= r/width { // nothing above the diagonal
						l[w] = append(l[w], v)
					}
				}
			}
		}
		if !slices.Equal(l[0], l[1]) {
			t.Fatalf("trial %d: tiles of 4 and 8 rows differ", trial)
		}
	}
}
