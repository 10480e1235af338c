//go:build !race

package dc_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
)

// TestSmooth compares what is said of every atom with its gradients: on segments, the
// half in which they differ more is halved again; where a jump remains there is a kink.
func TestSmooth(t *testing.T) {
	smooth, kinked, open := 0, 0, 0
	for _, s := range samples {
		m := dc.NewModel()
		x := m.Var("x", []int{dim})
		f := s.make(x).Scalar().G()
		rng := rand.New(rand.NewPCG(1, 2))
		draw := func() []float64 {
			v := make([]float64, dim)
			for j := range v {
				if v[j] = 4*rng.Float64() - 2; s.positive { // within the domain
					v[j] = 0.2 + rng.Float64()
				}
			}
			return v
		}
		jump := 0.0
		for range 40 {
			jump = max(jump, jumpBetween(f, draw(), draw()))
		}
		g, says := f.(interface{ Smooth() bool })
		_, affine := f.(convex.Linear)
		says = affine || says && g.Smooth()
		switch {
		case says && jump > 1e-3:
			t.Errorf("%s (%v) is said to be smooth, but its gradient jumps by %g", s.atom, f, jump)
		case says:
			smooth++
		case jump > 1e-3:
			kinked++
		default:
			open++ // not known, or the kinks are not met
		}
	}
	if smooth < 20 || kinked < 10 || open > 15 {
		t.Errorf("%d samples are smooth, %d have kinks, of %d it is open", smooth, kinked, open)
	}
}

// jumpBetween is the largest jump of an entry of the gradient that halving finds.
func jumpBetween(f convex.Func, a, b []float64) float64 {
	grad := func(x []float64) []float64 {
		g := make([]float64, dim)
		f.AddSubgrad(g, 1, x)
		return g
	}
	distance := func(u, v []float64) float64 {
		d := 0.0
		for j := range u {
			d = max(d, math.Abs(u[j]-v[j]))
		}
		return d
	}
	ga, gb := grad(a), grad(b)
	for range 40 {
		mid := make([]float64, dim)
		for j := range mid {
			mid[j] = (a[j] + b[j]) / 2
		}
		gm := grad(mid)
		if distance(ga, gm) > distance(gm, gb) {
			b, gb = mid, gm
		} else {
			a, ga = mid, gm
		}
	}
	return distance(ga, gb)
}
