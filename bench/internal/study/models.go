package study

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/bench/internal/baseline"
	"github.com/dcopt/dcopt/bench/internal/trial"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

// Predictor returns the predictions for rows of features.
type Predictor = trial.Predictor

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
		all = append(all, Model{ownPrefix + m.String(),
			func(ctx context.Context, x [][]float64, y []float64) (Predictor, error) {
				r := lder.NewRegressor(lder.MethodSettings(m))
				if err := r.Fit(ctx, x, y); err != nil {
					return nil, err
				}
				return r.Predict, nil
			}})
	}
	all = append(all,
		Model{"svr", standardised(func(ctx context.Context, x [][]float64, y []float64) (func([]float64) float64,
			error) {
			m, err := baseline.FitSVR(ctx, x, y, baseline.DefaultSVR())
			if err != nil {
				return nil, err
			}
			return m.Predict, nil
		})},
		Model{"ridge", standardised(func(_ context.Context, x [][]float64, y []float64) (func([]float64) float64,
			error) {
			m, err := baseline.FitRidge(x, y)
			if err != nil {
				return nil, err
			}
			return m.Predict, nil
		})},
	)
	return append(all, networks(0)...)
}

// ModelNames lists the models.
func ModelNames() string { return names(Models()) }

func names(models []Model) string {
	var all []string
	for _, m := range models {
		all = append(all, m.Name)
	}
	return strings.Join(all, ",")
}

// Choose returns the models named, "all" for all. A network may be followed by the
// seed of its random numbers, else 0, or by the first and last of several:
// "mlp@3", "mlp@0-9".
func Choose(list []string) ([]Model, error) {
	all := Models()
	var chosen []Model
	for _, n := range list {
		if name, seeds, seeded := strings.Cut(n, "@"); seeded {
			some, err := seededNetworks(name, seeds)
			if err != nil {
				return nil, err
			}
			chosen = append(chosen, some...)
			continue
		}
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

// mostSeeds is how many a range may have.
const mostSeeds = 1000

// seededNetworks are the network of a name with a seed or a range of them. That
// with seed 0 has the plain name.
func seededNetworks(name, seeds string) ([]Model, error) {
	from, to, several := strings.Cut(seeds, "-")
	if !several {
		to = from
	}
	first, err1 := strconv.ParseUint(from, 10, 32)
	last, err2 := strconv.ParseUint(to, 10, 32)
	if err1 != nil || err2 != nil || first > last || last-first >= mostSeeds {
		return nil, fmt.Errorf("model %s@%s: want a seed, or FIRST-LAST of at most %d", name, seeds, mostSeeds)
	}
	var all []Model
	for seed := first; seed <= last; seed++ {
		nets := networks(seed)
		k := slices.IndexFunc(nets, func(m Model) bool { return m.Name == name })
		if k < 0 {
			return nil, fmt.Errorf("model %s@%s: only networks have seeds: %s", name, seeds, names(nets))
		}
		if seed > 0 {
			nets[k].Name = fmt.Sprintf("%s@%d", name, seed)
		}
		all = append(all, nets[k])
	}
	return all, nil
}

// standardised trains on features whose gaps are filled by the mean and that
// have mean 0 and standard deviation 1, all of the training rows.
func standardised(train func(context.Context, [][]float64,
	[]float64) (func([]float64) float64, error)) func(context.Context, [][]float64, []float64) (Predictor, error) {
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
