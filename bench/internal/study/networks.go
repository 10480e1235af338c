package study

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/bench/internal/baseline"
	"github.com/dcopt/dcopt/bench/internal/neural"
	"github.com/dcopt/dcopt/lder/dataset"
)

// networks are the networks of the paper. It says how large they are, and of their
// training that the multilayer perceptron has scikit-learn's; the dense
// morphological network has the same here, the maxout network more and longer
// steps. All draw their random numbers from the seed.
func networks(seed uint64) []Model {
	elm, adam := baseline.DefaultELM(), neural.DefaultSettings()
	elm.Seed, adam.Seed = seed, seed
	maxout := adam
	maxout.Rate, maxout.Epochs = 0.01, 1000
	return []Model{
		{"hlm-elm", standardised(each(func(_ context.Context, x [][]float64, y []float64) (*baseline.ELM, error) {
			return baseline.FitELM(x, y, elm)
		}))},
		{"mlp", standardised(network(neural.MLP{Hidden: 100}, adam))},
		{"mlp-std", standardised(scaledTarget(network(neural.MLP{Hidden: 100}, adam)))},
		{"maxout", standardised(scaledTarget(network(neural.Maxout{Plus: 3, Minus: 3}, maxout)))},
		{"mdn", standardised(network(neural.Morphological{{Dilations: 100, Erosions: 100, Outputs: 100},
			{Dilations: 100, Erosions: 100, Outputs: 1}}, adam))},
	}
}

func network(net neural.Net, set neural.Settings) trainer {
	return func(ctx context.Context, x [][]float64, y []float64) (func([]float64) float64, error) {
		m, err := neural.Fit(ctx, net, x, y, set)
		if err != nil {
			return nil, err
		}
		return func(x []float64) float64 {
			pred, err := m.Predict([][]float64{x})
			if err != nil {
				return math.NaN() // refused as no finite number
			}
			return pred[0]
		}, nil
	}
}

// scaledTarget trains on targets of mean 0 and standard deviation 1.
func scaledTarget(train trainer) trainer {
	return func(ctx context.Context, x [][]float64, y []float64) (func([]float64) float64, error) {
		column := make([][]float64, len(y))
		for i, v := range y {
			column[i] = []float64{v}
		}
		scaler, err := dataset.FitScaler(column)
		if err != nil {
			return nil, err
		}
		scaled := make([]float64, len(y))
		for i, row := range column {
			scaler.Apply(row)
			scaled[i] = row[0]
		}
		predict, err := train(ctx, x, scaled)
		if err != nil {
			return nil, err
		}
		return func(x []float64) float64 { return predict(x)*scaler.Scale[0] + scaler.Mean[0] }, nil
	}
}
