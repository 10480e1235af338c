package study

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/bench/internal/baseline"
	"github.com/dcopt/dcopt/bench/internal/choice"
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
		Model{"svr", standardised(each(func(ctx context.Context, x [][]float64, y []float64) (*baseline.SVR, error) {
			return baseline.FitSVR(ctx, x, y, baseline.DefaultSVR())
		}))},
		Model{"ridge", standardised(each(func(_ context.Context, x [][]float64, y []float64) (*baseline.Ridge, error) {
			return baseline.FitRidge(x, y)
		}))},
	)
	return append(all, networks(0)...)
}

// trainer trains a function of one row.
type trainer = func(ctx context.Context, x [][]float64, y []float64) (func([]float64) float64, error)

// each is the trainer of models that predict a row.
func each[M interface{ Predict(x []float64) float64 }](
	fit func(ctx context.Context, x [][]float64, y []float64) (M, error)) trainer {
	return func(ctx context.Context, x [][]float64, y []float64) (func([]float64) float64, error) {
		m, err := fit(ctx, x, y)
		if err != nil {
			return nil, err
		}
		return m.Predict, nil
	}
}

func listOf(models []Model) choice.List[Model] {
	return choice.List[Model]{Kind: "model", All: models, Name: func(m Model) string { return m.Name }}
}

// ModelNames lists the models.
func ModelNames() string { return listOf(Models()).Names() }

// Choose returns the models named, "all" for all. A network may be followed by the
// seed of its random numbers, else 0, or by the first and last of several:
// "mlp@3", "mlp@0-9".
func Choose(list []string) ([]Model, error) {
	all := listOf(Models())
	var chosen []Model
	for _, n := range list {
		name, seeds, seeded := strings.Cut(n, "@")
		some, err := all.Choose([]string{name})
		if seeded {
			some, err = seededNetworks(name, seeds)
		}
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, some...)
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
			return nil, fmt.Errorf("model %s@%s: only networks have seeds: %s", name, seeds, listOf(nets).Names())
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
func standardised(train trainer) func(context.Context, [][]float64, []float64) (Predictor, error) {
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
