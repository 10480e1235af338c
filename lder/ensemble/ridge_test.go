package ensemble

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// drawnData are m rows of n normal features with a linear target and noise.
func drawnData(rng *rand.Rand, m, n int, noise float64) *refit.Data {
	d := &refit.Data{M: m, N: n + 1}
	for range m {
		y := noise * rng.NormFloat64()
		for j := range n {
			v := rng.NormFloat64()
			d.X = append(d.X, v)
			if j < 3 {
				y += v
			}
		}
		d.X, d.Y = append(d.X, 1), append(d.Y, y)
	}
	return d
}

// without is d less row i.
func without(d *refit.Data, i int) *refit.Data {
	var rows []int
	for k := range d.M {
		if k != i {
			rows = append(rows, k)
		}
	}
	out := &refit.Data{}
	d.Gather(out, rows, nil)
	return out
}

// TestLeaveOneOut: the closed form is the prediction by a fit without the row,
// for every shape, where single rows are fitted exactly, and with weights.
func TestLeaveOneOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for _, c := range []struct {
		name   string
		m, n   int
		change func(d *refit.Data)
	}{
		{"tall", 40, 4, nil},
		{"nearly square", 14, 12, nil},
		{"square", 12, 12, nil},
		{"wide", 10, 30, nil},
		{"two rows", 2, 5, nil},
		{"twins", 30, 4, func(d *refit.Data) {
			for i := range d.M {
				d.Row(i)[1] = d.Row(i)[0]
			}
		}},
		{"one row with a feature of its own", 30, 4, func(d *refit.Data) {
			for i := range d.M {
				d.Row(i)[3] = 0
			}
			d.Row(7)[3] = 5
		}},
		{"constant features", 9, 9, func(d *refit.Data) {
			for i := range d.M {
				clear(d.Row(i)[:6])
			}
		}},
	} {
		for _, weighted := range []bool{false, true} {
			d := drawnData(rng, c.m, c.n, .3)
			if c.change != nil {
				c.change(d)
			}
			if weighted {
				d.W = make([]float64, d.M)
				sum := 0.0
				for i := range d.W {
					d.W[i] = .2 + rng.Float64()
					sum += d.W[i]
				}
				for i := range d.W {
					d.W[i] /= sum
				}
			}
			for _, α := range []float64{math.Inf(1), 1, 1e-3, 1e-6} {
				r := fitRidge(d, []float64{α})
				for i := range d.M {
					// Of the rows without i, whose weights sum to 1 again, the same penalty is
					// larger.
					other := fitRidge(without(d, i), []float64{α / (1 - d.Weight(i))})
					want := other.predict(d.Row(i))
					if math.Abs(r.loo[i]-want) > 1e-5*(1+math.Abs(want)) {
						t.Fatalf("%s, weights %v, penalty %g: row %d is predicted as %g, by a fit without it %g", c.name, weighted, α, i, r.loo[i], want)
					}
				}
			}
		}
	}
}

// TestRidgeIsRidge: the coefficients make the gradient of the penalised squares 0.
func TestRidgeIsRidge(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 2))
	for _, shape := range [][2]int{{30, 4}, {12, 12}, {8, 40}} {
		d := drawnData(rng, shape[0], shape[1], .5)
		for _, α := range []float64{10, .1, 1e-4} {
			r := fitRidge(d, []float64{α})
			for j := range d.N {
				g := 0.0
				if j < d.N-1 {
					g = α * r.coef[j]
				}
				for i := range d.M {
					g -= (d.Y[i] - r.predict(d.Row(i))) * d.Row(i)[j] / float64(d.M)
				}
				if math.Abs(g) > 1e-10 {
					t.Fatalf("%v, penalty %g: gradient %g", shape, α, g)
				}
			}
		}
	}
}

// TestUnseenTargets: no prediction of an unseen row depends on its target, however
// near the fit is to interpolation.
func TestUnseenTargets(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 3))
	for _, shape := range [][2]int{{24, 60}, {30, 30}, {40, 36}} {
		d := drawnData(rng, shape[0], shape[1], 1e-3)
		s := &sample{d: d, clip: Unclipped()}
		b := newBagging(s, 2, 1, 1)
		r, before, err := b.ridge(context.Background(), d, linearWeights(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.coef) != d.N || math.IsNaN(r.coef[0]) {
			t.Fatalf("%v: coefficients %v", shape, r.coef)
		}
		hold := b.bags[3].hold
		for _, i := range hold {
			d.Y[i] += 100
		}
		_, after, err := b.ridge(context.Background(), d, linearWeights(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range hold {
			if before[i] != after[i] {
				t.Errorf("%v: row %d is predicted as %g, after a change of its target as %g", shape, i, before[i], after[i])
			}
		}
	}
}

// TestHeldOut: few rows tell nothing, nor do errors that are not surely below
// those of the mean; errors above them are told, as are errors far below.
func TestHeldOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	for _, c := range []struct {
		m     int
		error float64 // of the predictions, the target's standard deviation is 1
		known bool
	}{{19, .1, false}, {20, .1, true}, {30, .95, false}, {400, .5, true}, {30, 3, true}} {
		d := drawnData(rng, c.m, 1, 1)
		s := &sample{d: d}
		sd := math.Sqrt(s.d.Variance())
		errs := make([]float64, c.m)
		sum := 0.0
		for i := range errs {
			e := c.error * sd * rng.NormFloat64()
			errs[i] = e * e
			sum += e * e / float64(c.m)
		}
		got := s.heldOut(errs)
		if (got >= 0) != c.known || c.known && math.Abs(got-sum) > 1e-12 {
			t.Errorf("%d rows, error %g: %g, want %g: %v", c.m, c.error, got, sum, c.known)
		}
	}
}
