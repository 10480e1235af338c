package study

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/dcopt/dcopt/bench/internal/clock"
	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/trial"
	"github.com/dcopt/dcopt/lder/dataset"
)

// Row has a model's scores on a fold.
type Row struct {
	Set   string `csv:"set"`
	Model string `csv:"model"`
	Fold  int    `csv:"fold"`
	// Folds, Seed and Limit (seconds) are the terms, and Version is the version of the
	// program.
	Folds   int     `csv:"folds"`
	Seed    uint32  `csv:"seed"`
	Limit   float64 `csv:"limit_s,6"`
	Version string  `csv:"version"`
	Status  string  `csv:"status"`
	FVU     float64 `csv:"fvu,12"` // on the fold, as MSE; NaN unless trained
	MSE     float64 `csv:"mse,12"`
	Seconds float64 `csv:"seconds,6"` // of training, by the wall clock
	Message string  `csv:"message"`
}

// terms are all that must agree for the measurement to be the same.
func (r Row) terms() string {
	return fmt.Sprintf("%s\x00%s\x00%d\x00%d\x00%d\x00%g\x00%s", r.Set, r.Model, r.Fold, r.Folds, r.Seed, r.Limit,
		r.Version)
}

// Format is the format of the file of rows.
func Format() csvtable.Format[Row] { return csvtable.Tagged[Row]() }

// Table is a file of rows.
type Table = csvtable.Table[Row]

// Open reads the file at path, or makes it; fresh empties it.
func Open(path string, fresh bool) (*Table, error) { return csvtable.Open(path, fresh, Format()) }

// Read returns the rows of the file at path.
func Read(path string) ([]Row, error) { return csvtable.Read(path, Format()) }

// Latest keeps the last row of each set, model and fold.
func Latest(rows []Row) []Row {
	type place struct {
		set, model string
		fold       int
	}
	return csvtable.Latest(rows, func(r Row) place { return place{r.Set, r.Model, r.Fold} })
}

// Campaign says which models are trained.
type Campaign struct {
	Sets    []Set
	Models  []Model
	Seed    uint32 // of the folds, for the table
	Limit   time.Duration
	Version string
	// Tell is called before each model is trained, one call at a time; nil:
	// nobody.
	Tell func(done, all int, set, model string)
}

// task is a row to fill.
type task struct {
	set   Set
	model Model
	row   Row
}

// Run trains the models that table lacks, as many models at a time as there are cores. It
// returns ctx.Err() if it was interrupted.
func (c *Campaign) Run(ctx context.Context, table *Table) error {
	todo, done := c.tasks(table.Rows)
	tell := func(k int, set, model string) {
		if c.Tell != nil {
			c.Tell(done+k, done+len(todo), set, model)
		}
	}
	err := trial.Run(ctx, table, todo, 0, func(k int, t task) { tell(k, t.set.Name, t.model.Name) }, measure)
	if err == nil {
		tell(len(todo), "", "")
	}
	return err
}

// tasks are those without a row, and the number of the others.
func (c *Campaign) tasks(rows []Row) (todo []task, done int) {
	have := map[string]bool{}
	for _, r := range Latest(rows) {
		have[r.terms()] = true
	}
	for _, s := range c.Sets {
		for _, m := range c.Models {
			for fold := range s.Folds {
				row := Row{Set: s.Name, Model: m.Name, Fold: fold, Folds: len(s.Folds), Seed: c.Seed,
					Limit: c.Limit.Seconds(), Version: c.Version}
				if have[row.terms()] {
					done++
					continue
				}
				todo = append(todo, task{s, m, row})
			}
		}
	}
	return todo, done
}

// measure trains on all rows but the fold's, and scores on these.
func measure(ctx context.Context, t task) Row {
	row, fold := t.row, t.set.Folds[t.row.Fold]
	r := trial.Train(ctx, t.model.Train, t.set.X, t.set.Y, dataset.TrainRows(fold, len(t.set.Y)), fold, row.Limit,
		clock.Wall())
	row.Status, row.Message, row.Seconds = r.Status, r.Message, r.Seconds
	row.FVU, row.MSE = math.NaN(), math.NaN()
	if r.Status == trial.Trained {
		row.FVU, row.MSE = dataset.FVU(r.Targets, r.Values), dataset.MSE(r.Targets, r.Values)
	}
	return row
}
