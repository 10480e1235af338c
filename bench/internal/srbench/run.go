package srbench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

// The statuses of rows.
const (
	Trained = "trained"
	TooLong = "time_limit"
	Failed  = "failed"
)

// Row is a trial: what a method scored on the test rows of a table.
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
		var files []string
		for _, ending := range []string{"*.tsv", "*.tsv.gz", "*.csv.gz"} {
			some, err := filepath.Glob(filepath.Join(dir, ending))
			if err != nil {
				return nil, err
			}
			files = append(files, some...)
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s has no .tsv files, plain or .gz, and no .csv.gz", dir)
		}
		for _, file := range files {
			name := dataset.SetName(file)
			if slices.ContainsFunc(sets, func(s Set) bool { return s.Name == name }) {
				continue
			}
			table, err := dataset.ReadFile(file, dataset.Options{})
			if err != nil {
				return nil, err
			}
			d, err := table.Supervised("target", dataset.DefaultSelection())
			if err != nil {
				return nil, err
			}
			sets = append(sets, Set{name, d.X, d.Y})
		}
	}
	slices.SortFunc(sets, func(a, b Set) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return sets, nil
}

// Campaign is what to train.
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
	alone  bool // no other trial at the same time
}

// Run trains what table lacks. It returns ctx.Err() if it was interrupted.
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
	workers := c.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	all := done + len(todo)
	var mu sync.Mutex
	var bad error
	next := 0
	var wait sync.WaitGroup
	for range min(workers, len(todo)) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for {
				mu.Lock()
				if next == len(todo) || bad != nil || ctx.Err() != nil {
					mu.Unlock()
					return
				}
				t := todo[next]
				if c.Tell != nil {
					c.Tell(done+next, all, t.set.Name, t.row.Method)
				}
				next++
				t.alone = workers == 1
				mu.Unlock()
				row := measure(ctx, t)
				mu.Lock()
				if ctx.Err() == nil && bad == nil { // an interrupted trial is no measurement
					bad = table.Add(row)
				}
				mu.Unlock()
			}
		}()
	}
	wait.Wait()
	if bad == nil && ctx.Err() == nil && c.Tell != nil {
		c.Tell(all, all, "", "")
	}
	return errors.Join(bad, ctx.Err())
}

func measure(ctx context.Context, t task) Row {
	row := t.row
	row.R2 = math.NaN()
	pick := func(rows []int) (x [][]float64, y []float64) {
		for _, i := range rows {
			x, y = append(x, t.set.X[i]), append(y, t.set.Y[i])
		}
		return x, y
	}
	train, test := Split(len(t.set.Y), row.Seed)
	x, y := pick(train)
	limited, cancel := context.WithTimeout(ctx, time.Duration(row.Limit*float64(time.Second)))
	defer cancel()
	set := lder.MethodSettings(t.method)
	set.Seed = uint64(row.Seed)
	r := lder.NewRegressor(set)
	begin, spent := time.Now(), processorSeconds()
	err := r.Fit(limited, x, y)
	row.Seconds = time.Since(begin).Seconds()
	if t.alone {
		row.Seconds = processorSeconds() - spent
	}
	if limited.Err() != nil {
		row.Status, row.Message = TooLong, "not trained within the limit"
		return row
	}
	var pred []float64
	x, y = pick(test)
	if err == nil {
		pred, err = r.Predict(x)
	}
	if err != nil {
		row.Status, row.Message = Failed, err.Error()
		return row
	}
	row.Status, row.R2, row.Size = Trained, dataset.R2(y, pred), r.Terms()
	return row
}

// processorSeconds is the processor time of this process so far.
func processorSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
