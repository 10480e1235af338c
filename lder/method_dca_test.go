package lder

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// TestSquares: the cost of the program of dca is the mean squared error at any pieces, far
// below the targets too, where both maxima with any constant added are negative: positive
// parts of these would be 0 there, and the cost 0 without a fit.
func TestSquares(t *testing.T) {
	const m, n = 20, 3
	rng := rand.New(rand.NewPCG(8, 1))
	d := &refit.Data{M: m, N: n + 1}
	var rows [][]float64
	for i := range m {
		for range n {
			d.X = append(d.X, rng.NormFloat64())
		}
		d.X = append(d.X, 1)
		d.Y = append(d.Y, rng.NormFloat64())
		rows = append(rows, nil)
		rows[i] = d.Row(i)[:n]
	}
	s := &sample{d: d, x: rows}
	set := MethodSettings(DCA)
	start := Start(rows, d.Y, set.Pieces[0], set.Pieces[1])
	st := newStatement(s, start, set)
	st.squares(t.Context())
	st.ridge(0)
	p, err := st.model.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, constant := range []float64{0, 100, -100, -1e4} {
		at := NewModel(set.Pieces[0], set.Pieces[1], n)
		α := start.Params()
		for k := range α {
			α[k] += rng.NormFloat64()
			if k%(n+1) == n {
				α[k] += constant
			}
		}
		at.setParams(α)
		want := s.mse(at.Predict)
		if got := p.Value(α); !(math.Abs(got-want) <= 1e-6*(1+want)) {
			t.Errorf("constant %g: cost %g, the mean squared error is %g", constant, got, want)
		}
	}
}
