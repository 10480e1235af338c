package srbench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dcopt/dcopt/bench/internal/clock"
	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/trial"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

// Row is a trial: the score of a method on the test rows of a table.
type Row struct {
	Set     string  `csv:"set"`
	Method  string  `csv:"method"`
	Seed    uint32  `csv:"seed"`
	Limit   float64 `csv:"limit_s,6"`
	Version string  `csv:"version"`
	Status  string  `csv:"status"`
	R2      float64 `csv:"r2,12"`
	// Size is the number of terms of the formula: slopes and constants that are not 0.
	Size int `csv:"size"`
	// Seconds are of training: processor time where trials run one at a time, else by
	// the wall clock.
	Seconds float64 `csv:"seconds,6"`
	Message string  `csv:"message"`
}

func (r Row) terms() string {
	return fmt.Sprintf("%s\x00%s\x00%d\x00%g\x00%s", r.Set, r.Method, r.Seed, r.Limit, r.Version)
}

// Table is a file of rows.
type Table = csvtable.Table[Row]

// Open reads the file at path, or makes it; fresh empties it.
func Open(path string, fresh bool) (*Table, error) {
	return csvtable.Open(path, fresh, csvtable.Tagged[Row]())
}

// Read returns the rows of the file at path.
func Read(path string) ([]Row, error) { return csvtable.Read(path, csvtable.Tagged[Row]()) }

// Latest keeps the last row of each table, method and seed.
func Latest(rows []Row) []Row {
	type place struct {
		set, method string
		seed        uint32
	}
	return csvtable.Latest(rows, func(r Row) place { return place{r.Set, r.Method, r.Seed} })
}

// Set is a table of PMLB.
type Set struct {
	Name string
	X    [][]float64 // NaN for missing values
	Y    []float64
}

// ReadSets reads the .tsv, .tsv.gz, .csv and .csv.gz files of folders, in the order of
// their names; the target is the column named "target". A table in two of the folders
// is read once.
func ReadSets(dirs ...string) ([]Set, error) {
	var sets []Set
	for _, dir := range dirs {
		files, err := trial.Files(dir, ".tsv", ".tsv.gz", ".csv.gz")
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			name := dataset.SetName(file)
			if slices.ContainsFunc(sets, func(s Set) bool { return s.Name == name }) {
				continue
			}
			d, err := trial.Read(file)
			if err != nil {
				return nil, err
			}
			sets = append(sets, Set{name, d.X, d.Y})
		}
	}
	slices.SortFunc(sets, func(a, b Set) int { return strings.Compare(a.Name, b.Name) })
	return sets, nil
}

// Campaign lists the trainings.
type Campaign struct {
	Sets    []Set
	Methods []lder.Method
	Seeds   []uint32
	Limit   time.Duration
	Version string
	Workers int // trials at a time; 0: as many as there are processors
	// Tell is called before each trial, one call at a time; nil: nobody.
	Tell func(done, all int, set, method string)
}

type task struct {
	set    Set
	method lder.Method
	row    Row
}

// Run makes the trainings that table lacks. It returns ctx.Err() if it was interrupted.
func (c *Campaign) Run(ctx context.Context, table *Table) error {
	have := map[string]bool{}
	for _, r := range Latest(table.Rows) {
		have[r.terms()] = true
	}
	var todo []task
	done := 0
	// Trial by trial, so that a run that is ended early has as many of each table.
	for _, seed := range c.Seeds {
		for _, s := range c.Sets {
			for _, m := range c.Methods {
				row := Row{Set: s.Name, Method: m.String(), Seed: seed, Limit: c.Limit.Seconds(), Version: c.Version}
				if have[row.terms()] {
					done++
					continue
				}
				todo = append(todo, task{set: s, method: m, row: row})
			}
		}
	}
	tell := func(k int, set, method string) {
		if c.Tell != nil {
			c.Tell(done+k, done+len(todo), set, method)
		}
	}
	now := clock.Wall()
	if c.Workers == 1 || c.Workers <= 0 && runtime.GOMAXPROCS(0) == 1 {
		now = clock.CPU
	}
	err := trial.Run(ctx, table, todo, c.Workers, func(k int, t task) { tell(k, t.set.Name, t.row.Method) },
		func(ctx context.Context, t task) Row { return measure(ctx, t, now) })
	if err == nil {
		tell(len(todo), "", "")
	}
	return err
}

func measure(ctx context.Context, t task, now clock.Clock) Row {
	row := t.row
	set := lder.MethodSettings(t.method)
	set.Seed = uint64(row.Seed)
	model := lder.NewRegressor(set)
	fit := func(ctx context.Context, x [][]float64, y []float64) (trial.Predictor, error) {
		return model.Predict, model.Fit(ctx, x, y)
	}
	train, test := Split(len(t.set.Y), row.Seed)
	r := trial.Train(ctx, fit, t.set.X, t.set.Y, train, test, row.Limit, now)
	row.Status, row.Message, row.Seconds, row.R2 = r.Status, r.Message, r.Seconds, math.NaN()
	if r.Status == trial.Trained {
		row.R2, row.Size = dataset.R2(r.Targets, r.Values), model.Terms()
	}
	return row
}
