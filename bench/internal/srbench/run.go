package srbench

import (
	"context"
	"math"
	"runtime"
	"time"

	"github.com/dcopt/dcopt/bench/internal/clock"
	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/trial"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

// Row is a trial: the score of a method on the test rows of a table.
type Row struct {
	Set     string  `csv:"set" key:"place"`
	Method  string  `csv:"method" key:"place"`
	Seed    uint32  `csv:"seed" key:"place"`
	Limit   float64 `csv:"limit_s,6" key:"terms"`
	Version string  `csv:"version" key:"terms"`
	Status  string  `csv:"status"`
	R2      float64 `csv:"r2,12"`
	// Size is the number of terms of the formula: slopes and constants that are not 0.
	Size int `csv:"size"`
	// Seconds are of training: processor time where trials run one at a time, else by
	// the wall clock.
	Seconds float64 `csv:"seconds,6"`
	Message string  `csv:"message"`
}

// ReadSets reads the .tsv, .tsv.gz and .csv.gz files of folders, in the order of their names.
func ReadSets(dirs ...string) ([]trial.Set, error) {
	return trial.ReadSets(dirs, ".tsv", ".tsv.gz", ".csv.gz")
}

// Campaign lists the trainings.
type Campaign struct {
	Sets    []trial.Set
	Methods []lder.Method
	Seeds   []uint32
	Limit   time.Duration
	Version string
	Workers int // trials at a time; 0: as many as there are processors
}

// Run makes the trainings that table lacks. It returns ctx.Err() if it was interrupted.
func (c *Campaign) Run(ctx context.Context, table *csvtable.Table[Row], tell csvtable.Tell) error {
	now := clock.Wall()
	if c.Workers == 1 || c.Workers <= 0 && runtime.GOMAXPROCS(0) == 1 {
		now = clock.CPU
	}
	var tasks []csvtable.Task[Row]
	// Trial by trial, so that a run that is ended early has as many of each table.
	for _, seed := range c.Seeds {
		for _, s := range c.Sets {
			for _, m := range c.Methods {
				row := Row{Set: s.Name, Method: m.String(), Seed: seed, Limit: c.Limit.Seconds(), Version: c.Version}
				tasks = append(tasks, csvtable.Task[Row]{Row: row, Instance: s.Name, Contender: row.Method,
					Measure: func(ctx context.Context, row Row) (Row, error) {
						return measure(ctx, s, m, row, now), nil
					}})
			}
		}
	}
	return csvtable.Fill(ctx, table, tasks, c.Workers, tell)
}

func measure(ctx context.Context, s trial.Set, m lder.Method, row Row, now clock.Clock) Row {
	set := lder.MethodSettings(m)
	set.Seed = uint64(row.Seed)
	model := lder.NewRegressor(set)
	fit := func(ctx context.Context, x [][]float64, y []float64) (trial.Predictor, error) {
		return model.Predict, model.Fit(ctx, x, y)
	}
	train, test := Split(len(s.Y), row.Seed)
	r := trial.Train(ctx, fit, s.X, s.Y, train, test, row.Limit, now)
	row.Status, row.Message, row.Seconds, row.R2 = r.Status, r.Message, r.Seconds, math.NaN()
	if r.Status == trial.Trained {
		row.R2, row.Size = dataset.R2(r.Targets, r.Values), model.Terms()
	}
	return row
}
