package study

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/bench/internal/baseline"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

// Predictor returns the predictions for rows of features.
type Predictor func(x [][]float64) ([]float64, error)

// Model is a way to train. Train changes neither x nor y; it ends with ctx.
type Model struct {
	Name  string
	Train func(ctx context.Context, x [][]float64, y []float64) (Predictor, error)
}

// ownPrefix marks the methods of package lder.
const ownPrefix = "lder-"

// Models are all there are, with the settings of the paper where it has them:
// pieces (3, 2), scikit-learn's defaults.
func Models() []Model {
	var all []Model
	for _, m := range lder.Methods() {
		all = append(all, Model{ownPrefix + m.String(), func(ctx context.Context, x [][]float64, y []float64) (Predictor, error) {
			r := lder.NewRegressor(lder.MethodSettings(m))
			if err := r.Fit(ctx, x, y); err != nil {
				return nil, err
			}
			return r.Predict, nil
		}})
	}
	all = append(all,
		Model{"svr", standardised(func(ctx context.Context, x [][]float64, y []float64) (func([]float64) float64, error) {
			m, err := baseline.FitSVR(ctx, x, y, baseline.DefaultSVR())
			if err != nil {
				return nil, err
			}
			return m.Predict, nil
		})},
		Model{"ridge", standardised(func(_ context.Context, x [][]float64, y []float64) (func([]float64) float64, error) {
			m, err := baseline.FitRidge(x, y)
			if err != nil {
				return nil, err
			}
			return m.Predict, nil
		})},
	)
	return append(all, networks()...)
}

// ModelNames lists the models.
func ModelNames() string {
	var names []string
	for _, m := range Models() {
		names = append(names, m.Name)
	}
	return strings.Join(names, ",")
}

// Choose returns the models named, "all" for all.
func Choose(names []string) ([]Model, error) {
	all := Models()
	var chosen []Model
	for _, n := range names {
		k := slices.IndexFunc(all, func(m Model) bool { return m.Name == n })
		switch {
		case n == "all":
			chosen = append(chosen, all...)
		case k < 0:
			return nil, fmt.Errorf("no model %q; there are %s", n, ModelNames())
		default:
			chosen = append(chosen, all[k])
		}
	}
	for k, m := range chosen {
		if slices.ContainsFunc(chosen[:k], func(o Model) bool { return o.Name == m.Name }) {
			return nil, fmt.Errorf("model %s is named twice", m.Name)
		}
	}
	return chosen, nil
}

// standardised trains on features whose gaps are filled by the mean and that
// have mean 0 and standard deviation 1, all of the training rows.
func standardised(train func(context.Context, [][]float64, []float64) (func([]float64) float64, error)) func(context.Context, [][]float64, []float64) (Predictor, error) {
	return func(ctx context.Context, x [][]float64, y []float64) (Predictor, error) {
		imputer, err := dataset.FitImputer(x, dataset.Mean)
		if err != nil {
			return nil, err
		}
		filled := func(rows [][]float64) [][]float64 {
			all := make([][]float64, len(rows))
			for i, row := range rows {
				all[i] = slices.Clone(row)
				imputer.Apply(all[i])
			}
			return all
		}
		x = filled(x)
		scaler, err := dataset.FitScaler(x)
		if err != nil {
			return nil, err
		}
		for _, row := range x {
			scaler.Apply(row)
		}
		predict, err := train(ctx, x, y)
		if err != nil {
			return nil, err
		}
		return func(rows [][]float64) ([]float64, error) {
			out := make([]float64, len(rows))
			for i, row := range filled(rows) {
				scaler.Apply(row)
				out[i] = predict(row)
			}
			return out, nil
		}, nil
	}
}
