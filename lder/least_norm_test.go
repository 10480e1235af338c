//go:build !race

package lder_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/lder"
)

// TestLeastNorm: fits with more parameters than rows, whose minimiser is not unique, predict other
// rows. The 15 features are nearly combinations of four; without the ridge the worst of the five
// fits leaves more than the variance unexplained.
func TestLeastNorm(t *testing.T) {
	const rows, others, features, rank = 60, 500, 15, 4
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 1))
		mix := make([][]float64, rank)
		for k := range mix {
			for range features {
				mix[k] = append(mix[k], rng.NormFloat64())
			}
		}
		var x [][]float64
		var y []float64
		for range rows + others {
			row := make([]float64, features)
			for k := range mix {
				z := rng.NormFloat64()
				for j, v := range mix[k] {
					row[j] += z * v
				}
			}
			for j := range row {
				row[j] += 0.01 * rng.NormFloat64()
			}
			x = append(x, row)
			y = append(y, max(row[0], -row[0])+row[1]+0.1*rng.NormFloat64())
		}
		fit := lder.NewRegressor(lder.MethodSettings(lder.CCP))
		if err := fit.Fit(context.Background(), x[:rows], y[:rows]); err != nil {
			t.Fatal(err)
		}
		p, err := fit.Predict(x[rows:])
		if err != nil {
			t.Fatal(err)
		}
		left, all, mean := 0.0, 0.0, 0.0
		for _, v := range y[rows:] {
			mean += v / others
		}
		for i := range p {
			e := p[i] - y[rows+i]
			left += e * e
			all += (y[rows+i] - mean) * (y[rows+i] - mean)
		}
		if !(left <= 0.6*all) {
			t.Errorf("seed %d: a fraction of %.3g of the variance is unexplained", seed, left/all)
		}
	}
}
