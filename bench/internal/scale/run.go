package scale

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/dcset"
	"github.com/dcopt/dcopt/bench/internal/process"
)

// Row is a run of a solver on an instance.
type Row struct {
	Instance   string  `csv:"instance" key:"place"`
	Seed       int     `csv:"seed" key:"place"`
	Solver     string  `csv:"solver" key:"place"`
	Version    string  `csv:"version" key:"terms"`
	Limit      float64 `csv:"limit_s,6" key:"terms"`
	Status     string  `csv:"status"`
	Objective  float64 `csv:"objective,12"`
	Violation  float64 `csv:"violation,6"`
	Iterations int     `csv:"iterations"`
	CPU        float64 `csv:"cpu_s,6"` // processor time of the process, reading and compiling included
	Wall       float64 `csv:"wall_s,6"`
	Memory     float64 `csv:"peak_mb,6"` // the largest resident size
	Message    string  `csv:"message"`
}

// Solver is a program that prints a result of dcopt solve --json for a folder.
type Solver struct {
	Name     string
	Version  string
	Argv     []string // before the name of the problem file, or of its folder
	Folder   bool     // the argument is the folder
	Families []string // that it can do; nil: all
}

// Campaign lists the runs.
type Campaign struct {
	Instances []Instance
	Solvers   []Solver
	Limit     time.Duration // of a run, by the wall clock
	Dir       string        // for the problems; the files of one instance at a time
}

// Run makes the runs that table lacks, the runs of an instance one after the other. It returns
// ctx.Err() if it was interrupted.
func (c *Campaign) Run(ctx context.Context, table *csvtable.Table[Row], tell csvtable.Tell) error {
	var tasks []csvtable.Task[Row]
	folder := ""
	written := csvtable.Last(func(i int) (string, error) {
		last := folder
		folder = filepath.Join(c.Dir, c.Instances[i].Name())
		if err := os.RemoveAll(last); err != nil {
			return "", err
		}
		p, err := c.Instances[i].Program()
		if err != nil {
			return "", err
		}
		return folder, p.Write(folder)
	})
	for i, in := range c.Instances {
		for _, s := range c.Solvers {
			if s.Families != nil && !slices.Contains(s.Families, in.Family) {
				continue
			}
			row := Row{Instance: in.Name(), Seed: int(in.Seed), Solver: s.Name, Version: s.Version,
				Limit: c.Limit.Seconds()}
			tasks = append(tasks, csvtable.Task[Row]{Row: row, Instance: in.Name(), Contender: s.Name,
				Measure: func(ctx context.Context, row Row) (Row, error) {
					folder, err := written(i)
					if err != nil {
						return row, err
					}
					return s.run(ctx, folder, row)
				}})
		}
	}
	return csvtable.Fill(ctx, table, tasks, 1, tell)
}

// The states of a run that ended without a result.
const (
	killed = "time limit" // killed after Campaign.Limit
	failed = "failed"
)

// run fills in the outcome.
func (s *Solver) run(ctx context.Context, folder string, row Row) (Row, error) {
	file := folder
	if !s.Folder {
		file = filepath.Join(folder, dcset.SourceFile)
	}
	ran, err := process.Command{Argv: append(slices.Clone(s.Argv), file),
		Wall: time.Duration(row.Limit * float64(time.Second))}.Run(ctx)
	row.Wall, row.CPU, row.Memory = ran.Wall, ran.CPU, ran.Memory
	row.Objective, row.Violation = math.NaN(), math.NaN()
	if err != nil {
		return row, err
	}
	if ran.Late {
		row.Status = killed
		return row, nil
	}
	answer, bad := process.Decode(ran.Stdout)
	if bad != nil {
		row.Status, row.Message = failed, ran.Blame(bad)
		return row, nil
	}
	row.Status, row.Iterations, row.Message = answer.Status, answer.Iterations, answer.Message
	row.Objective, row.Violation = answer.Objective, answer.Violation
	return row, nil
}

// finished reports whether the run ended by itself with a result.
func (r Row) finished() bool { return r.Status != killed && r.Status != failed }
