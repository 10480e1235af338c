package instance

import (
	"fmt"
	"math/rand/v2"

	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/qpbackend"
)

// Regression is the quadratic program of a step of l-CCP (Algorithm 2) with
// pieces (3, 2), m samples and n features: variables ξ (m) and the parameters
// w, a of the first maximum and v, b of the second; minimise (1/m)·Σ ξ² over
//
//	⟨w_l − v_j, x_i⟩ + a_l − b_j ≤ y_i − ξ_i   for every l, j active in the second maximum
//	⟨v_l − w_j, x_i⟩ + b_l − a_j ≤ ξ_i − y_i   for every l, j the active piece of the first
//
// Samples are normal, y is a function of this kind with noise, and the active
// pieces are the ones of this function with its parameters disturbed.
func Regression(m, n int) (Instance, error) {
	const most = 1 << 20
	if m < 1 || n < 1 || m > most || n > most/m {
		return Instance{}, fmt.Errorf("a regression of %d samples and %d features: want at least one of each and at "+
			"most %d numbers", m, n, most)
	}
	name := fmt.Sprintf("lder-%d-%d", m, n)
	return single("lder", name, func() *qpbackend.Problem { return regression(classes.Source(name), m, n) }), nil
}

const pieces1, pieces2 = 3, 2

func regression(rng *rand.Rand, m, n int) *qpbackend.Problem {
	const pieces = pieces1 + pieces2
	width := n + 1
	draw := func(count int, scale float64) []float64 {
		v := make([]float64, count)
		for k := range v {
			v[k] = scale * rng.NormFloat64()
		}
		return v
	}
	truth := draw(pieces*width, 1)
	near := draw(pieces*width, 0.3)
	for k, v := range truth {
		near[k] += v
	}

	b := classes.New(m + pieces*width)
	for i := range m {
		b.P.Add(i, i, 2/float64(m))
	}
	for i := range m {
		x := append(draw(n, 1), 1)
		_, first := active(truth, x, 0, pieces1)
		_, second := active(truth, x, pieces1, pieces)
		y := first - second + 0.5*rng.NormFloat64()
		j1, _ := active(near, x, 0, pieces1)
		j2, _ := active(near, x, pieces1, pieces)
		for l := range pieces1 {
			difference(b, b.Row(-inf, y), i, 1, m, l, j2, x)
		}
		for l := pieces1; l < pieces; l++ {
			difference(b, b.Row(-inf, -y), i, -1, m, l, j1, x)
		}
	}
	return b.Problem()
}

// active is the first largest piece of from, …, to−1 at x, and its value.
func active(θ, x []float64, from, to int) (piece int, value float64) {
	value = -inf
	for l := from; l < to; l++ {
		s := 0.0
		for k, v := range x {
			s += θ[l*len(x)+k] * v
		}
		if s > value {
			piece, value = l, s
		}
	}
	return piece, value
}

// difference fills a row: piece plus minus piece less at x, plus sign·ξ_i; the
// parameters start at variable first.
func difference(b *classes.Builder, row, i int, sign float64, first, plus, less int, x []float64) {
	b.A.Add(row, i, sign)
	for k, v := range x {
		b.A.Add(row, first+plus*len(x)+k, v)
		b.A.Add(row, first+less*len(x)+k, -v)
	}
}
