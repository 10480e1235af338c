package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/lder/dataset"
)

// The statuses of rows.
const (
	Trained  = "trained"
	TooLong  = "time_limit"
	Failed   = "failed"
	noNumber = "a prediction is no finite number"
)

// Row has a model's scores on a fold.
type Row struct {
	Set   string `csv:"set"`
	Model string `csv:"model"`
	Fold  int    `csv:"fold"`
	// Folds, Seed and Limit (seconds) are the terms, and Version is that of the
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
	return fmt.Sprintf("%s\x00%s\x00%d\x00%d\x00%d\x00%g\x00%s", r.Set, r.Model, r.Fold, r.Folds, r.Seed, r.Limit, r.Version)
}

// Format is that of the file of rows.
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
	all := done + len(todo)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	next, rows := make(chan task), make(chan Row)
	var wait sync.WaitGroup
	for range min(len(todo), runtime.GOMAXPROCS(0)) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for t := range next {
				row := measure(ctx, t)
				if ctx.Err() != nil {
					continue // an interrupted training is no measurement
				}
				rows <- row
			}
		}()
	}
	go func() {
		for k, t := range todo {
			if ctx.Err() != nil {
				break
			}
			if c.Tell != nil {
				c.Tell(done+k, all, t.set.Name, t.model.Name)
			}
			next <- t
		}
		close(next)
		wait.Wait()
		close(rows)
	}()
	var bad error
	for row := range rows {
		if bad == nil {
			if bad = table.Add(row); bad != nil {
				stop()
			}
		}
	}
	if bad != nil {
		return bad
	}
	if c.Tell != nil {
		c.Tell(all, all, "", "")
	}
	return ctx.Err()
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
				row := Row{Set: s.Name, Model: m.Name, Fold: fold, Folds: len(s.Folds), Seed: c.Seed, Limit: c.Limit.Seconds(), Version: c.Version}
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
	row := t.row
	row.FVU, row.MSE = math.NaN(), math.NaN()
	pick := func(rows []int) (x [][]float64, y []float64) {
		for _, i := range rows {
			x, y = append(x, t.set.X[i]), append(y, t.set.Y[i])
		}
		return x, y
	}
	x, y := pick(dataset.TrainRows(t.set.Folds[row.Fold], len(t.set.Y)))
	limited, cancel := context.WithTimeout(ctx, time.Duration(row.Limit*float64(time.Second)))
	defer cancel()
	begin := time.Now()
	predict, err := t.model.Train(limited, x, y)
	row.Seconds = time.Since(begin).Seconds()
	// A model that stops with the limit may still return a result; that is no
	// result of the method.
	if limited.Err() != nil {
		row.Status, row.Message = TooLong, "not trained within the limit"
		return row
	}
	var pred []float64
	x, y = pick(t.set.Folds[row.Fold])
	if err == nil {
		pred, err = predict(x)
	}
	if err == nil {
		for _, v := range pred {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				err = errors.New(noNumber)
			}
		}
	}
	if err != nil {
		row.Status, row.Message = Failed, err.Error()
		return row
	}
	row.Status, row.FVU, row.MSE = Trained, dataset.FVU(y, pred), dataset.MSE(y, pred)
	return row
}
