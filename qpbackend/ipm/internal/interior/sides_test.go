package interior

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/need"
)

// TestKernelsRoundAlike: with wide registers and without them each loop over
// sides gives the same bits, whatever their number.
func TestKernelsRoundAlike(t *testing.T) {
	need.That(t, cpu.Wide(), need.AVX2)
	rng := rand.New(rand.NewPCG(4, 4))
	for count := range 40 {
		var a, b sides
		a.resize(count)
		b.resize(count)
		for _, v := range [...][2][]float64{
			{a.s, b.s}, {a.z, b.z}, {a.ds, b.ds}, {a.dz, b.dz}, {a.rp, b.rp}, {a.rc, b.rc}, {a.wt, b.wt}, {a.b, b.b}, {a.sgn, b.sgn},
		} {
			for k := range v[0] {
				v[0][k] = math.Exp(4 * rng.NormFloat64())
				if rng.IntN(2) == 0 && k%3 > 0 {
					v[0][k] *= -1
				}
			}
			copy(v[1], v[0])
		}
		for k := range a.s {
			a.s[k], a.z[k] = math.Abs(a.s[k]), math.Abs(a.z[k])
			if k%7 == 0 {
				a.z[k] = a.s[k]
			}
			b.s[k], b.z[k] = a.s[k], a.z[k]
		}
		if count > 9 {
			a.dz[9], b.dz[9] = math.NaN(), math.NaN()
		}
		a.wide = true
		for _, step := range []struct {
			name string
			do   func(sd *sides) float64
		}{
			{"longest", func(sd *sides) float64 { return sd.longest(sd.s, sd.ds, 0.9) + sd.longest(sd.z, sd.dz, 1) }},
			{"norm", func(sd *sides) float64 { return sd.norm(sd.ds) }},
			{"norm", func(sd *sides) float64 { return sd.norm(sd.dz) }},
			{"products", func(sd *sides) float64 { return sd.products(sd.s, sd.z, 0, 0) }},
			{"after", func(sd *sides) float64 { return sd.products(sd.ds, sd.wt, 0.3, 0.8) }},
			{"weigh", func(sd *sides) float64 { sd.weights(1e-2); return 0 }},
			{"right", func(sd *sides) float64 { sd.targets(); return 0 }},
			{"slacks", func(sd *sides) float64 { sd.slacks(1e-3); return 0 }},
			{"centre", func(sd *sides) float64 { sd.centre(0.3); return 0 }},
			{"advance", func(sd *sides) float64 { sd.advance(0.4, 0.7); return 0 }},
		} {
			x, y := step.do(&a), step.do(&b)
			if x != y && (x == x || y == y) {
				t.Fatalf("%d sides, %s: %g with kernels, %g without", count, step.name, x, y)
			}
			for k, v := range [...][2][]float64{{a.s, b.s}, {a.z, b.z}, {a.ds, b.ds}, {a.dz, b.dz}, {a.rp, b.rp}, {a.rc, b.rc}, {a.wt, b.wt}, {a.b, b.b}} {
				if !slices.EqualFunc(v[0], v[1], func(x, y float64) bool { return x == y || x != x && y != y }) {
					t.Fatalf("%d sides, after %s vector %d: %g with kernels, %g without", count, step.name, k, v[0], v[1])
				}
			}
		}
	}
}

// TestLongestStep against the definition.
func TestLongestStep(t *testing.T) {
	sd := sides{wide: cpu.Wide()}
	for _, c := range []struct{ v, d, τ, want float64 }{
		{2, 1, 1, 1}, {2, -1, 1, 1}, {2, -4, 1, 0.5}, {2, -4, 0.5, 0.25}, {2, math.NaN(), 1, 1}, {2, math.Inf(-1), 1, 0},
	} {
		for count := 1; count < 7; count++ {
			v, d := make([]float64, count), make([]float64, count)
			for k := range v {
				v[k] = 1
			}
			v[count/2], d[count/2] = c.v, c.d
			if got := sd.longest(v, d, c.τ); got != c.want {
				t.Errorf("%d entries, one %g with step %g: %g, want %g", count, c.v, c.d, got, c.want)
			}
		}
	}
	// Each entry has a shorter step than those before it, and then the first ones have.
	for count := 1; count < 90; count++ {
		v, d := make([]float64, count), make([]float64, count)
		for k := range v {
			v[k] = 1 + float64(k*7%5)
			d[k] = -v[k] * float64(2+k)
		}
		for range 2 {
			if got, want := sd.longest(v, d, 1), 1/float64(1+count); got != want {
				t.Errorf("%d entries: %g, want %g", count, got, want)
			}
			slices.Reverse(v)
			slices.Reverse(d)
		}
	}
}

// BenchmarkSides is what the kernels save: the loops of an iteration with and
// without them.
func BenchmarkSides(b *testing.B) {
	for _, count := range []int{20, 1000} {
		for _, wide := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/wide=%v", count, wide), func(b *testing.B) {
				sd := sides{wide: wide && cpu.Wide()}
				sd.resize(count)
				for _, v := range [...][]float64{sd.s, sd.z, sd.ds, sd.dz, sd.rp, sd.rc, sd.wt, sd.b, sd.sgn} {
					for k := range v {
						v[k] = 1 + float64(k%7)
					}
				}
				for b.Loop() {
					sd.weights(1e-8)
					sd.targets()
					sd.slacks(1e-8)
					sd.longest(sd.s, sd.ds, 1)
					sd.products(sd.ds, sd.dz, .5, .5)
					sd.norm(sd.rp)
				}
			})
		}
	}
}
