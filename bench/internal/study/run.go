package study

import (
	"context"
	"math"
	"time"

	"github.com/dcopt/dcopt/bench/internal/clock"
	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/trial"
	"github.com/dcopt/dcopt/lder/dataset"
)

// Row has a model's scores on a fold.
type Row struct {
	Set   string `csv:"set" key:"place"`
	Model string `csv:"model" key:"place"`
	Fold  int    `csv:"fold" key:"place"`
	// Folds, Seed and Limit (seconds) are the terms, and Version is the version of the
	// program.
	Folds   int     `csv:"folds" key:"terms"`
	Seed    uint32  `csv:"seed" key:"terms"`
	Limit   float64 `csv:"limit_s,6" key:"terms"`
	Version string  `csv:"version" key:"terms"`
	Status  string  `csv:"status"`
	FVU     float64 `csv:"fvu,12"` // on the fold, as MSE; NaN unless trained
	MSE     float64 `csv:"mse,12"`
	Seconds float64 `csv:"seconds,6"` // of training, by the wall clock
	Message string  `csv:"message"`
}

// Campaign says which models are trained.
type Campaign struct {
	Sets    []Set
	Models  []Model
	Seed    uint32 // of the folds, for the table
	Limit   time.Duration
	Version string
}

// Run trains the models that table lacks, as many models at a time as there are cores. It
// returns ctx.Err() if it was interrupted.
func (c *Campaign) Run(ctx context.Context, table *csvtable.Table[Row], tell csvtable.Tell) error {
	var tasks []csvtable.Task[Row]
	for _, s := range c.Sets {
		for _, m := range c.Models {
			for fold := range s.Folds {
				row := Row{Set: s.Name, Model: m.Name, Fold: fold, Folds: len(s.Folds), Seed: c.Seed,
					Limit: c.Limit.Seconds(), Version: c.Version}
				tasks = append(tasks, csvtable.Task[Row]{Row: row, Instance: s.Name, Contender: m.Name,
					Measure: func(ctx context.Context, row Row) (Row, error) { return measure(ctx, s, m, row), nil }})
			}
		}
	}
	return csvtable.Fill(ctx, table, tasks, 0, tell)
}

// measure trains on all rows but the fold's, and scores on these.
func measure(ctx context.Context, s Set, m Model, row Row) Row {
	fold := s.Folds[row.Fold]
	r := trial.Train(ctx, m.Train, s.X, s.Y, dataset.TrainRows(fold, len(s.Y)), fold, row.Limit, clock.Wall())
	row.Status, row.Message, row.Seconds = r.Status, r.Message, r.Seconds
	row.FVU, row.MSE = math.NaN(), math.NaN()
	if r.Status == trial.Trained {
		row.FVU, row.MSE = dataset.FVU(r.Targets, r.Values), dataset.MSE(r.Targets, r.Values)
	}
	return row
}
