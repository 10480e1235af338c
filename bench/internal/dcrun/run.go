package dcrun

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/dcset"
	"github.com/dcopt/dcopt/bench/internal/process"
)

// Request says on what terms a problem is to be solved.
type Request struct {
	Folder string  // filled by dcset.Program.Write
	Limit  float64 // seconds a run may take
	Repeat int     // the largest number of runs; the least times count
}

// Outcome is the result of a solver.
type Outcome struct {
	Status     string
	Iterations int
	Wall, CPU  float64     // seconds of the least run
	Point      dcset.Point // nil: there is none
	History    History     // empty: the solver does not tell
	Message    string
}

// Solver is a contender.
type Solver interface {
	Name() string
	// Version tells one state of the solver from another.
	Version(ctx context.Context) (string, error)
	// Solve makes an Outcome of whatever happens; an error means that ctx ended
	// or that the solver could not be started at all.
	Solve(ctx context.Context, req Request) (Outcome, error)
	Close()
}

// Campaign says which problems and solvers are measured, and how.
type Campaign struct {
	Instances []dcset.Instance
	Solvers   []Solver
	Only      *regexp.Regexp // of instances' names; nil: all
	Limit     float64        // seconds a run
	Repeat    int
	Dir       string // for the files of the problems
	// Histories gets the iterations of the solvers that tell them; nil: nobody.
	Histories *csvtable.Table[History]
}

// Run makes the measurements that table lacks, a problem with all solvers before the next. It
// returns ctx.Err() if it was interrupted.
func (c *Campaign) Run(ctx context.Context, table *csvtable.Table[Row], tell csvtable.Tell) error {
	versions := make([]string, len(c.Solvers))
	for k, s := range c.Solvers {
		v, err := s.Version(ctx)
		if err != nil {
			return fmt.Errorf("solver %s: %w", s.Name(), err)
		}
		versions[k] = v
	}
	var tasks []csvtable.Task[Row]
	program := csvtable.Last(func(i int) (*dcset.Program, error) { return c.prepare(c.Instances[i]) })
	for i, in := range c.Instances {
		if c.Only != nil && !c.Only.MatchString(in.Name()) {
			continue
		}
		for k, s := range c.Solvers {
			row := Row{Group: in.Group, Problem: in.Problem, Part: in.Part, Solver: s.Name(), Limit: c.Limit,
				Repeat: c.Repeat, Version: versions[k]}
			tasks = append(tasks, csvtable.Task[Row]{Row: row, Instance: in.Name(), Contender: s.Name(),
				Measure: func(ctx context.Context, row Row) (Row, error) {
					p, err := program(i)
					if err != nil {
						return row, fmt.Errorf("%s: %w", in.Name(), err)
					}
					return c.measure(ctx, s, p, row)
				}})
		}
	}
	if len(tasks) == 0 {
		return errors.New("no problem is left to solve: --only fits none")
	}
	return csvtable.Fill(ctx, table, tasks, 1, tell)
}

func (c *Campaign) folder() string { return filepath.Join(c.Dir, "problem") }

// prepare makes the problem and its files; the files of the one before go.
func (c *Campaign) prepare(in dcset.Instance) (*dcset.Program, error) {
	p, err := in.Make()
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(c.folder()); err != nil {
		return nil, err
	}
	return p, p.Write(c.folder())
}

// measure fills the row. The history is written before it: a problem with a row is not measured
// again.
func (c *Campaign) measure(ctx context.Context, s Solver, p *dcset.Program, row Row) (Row, error) {
	out, err := s.Solve(ctx, Request{Folder: c.folder(), Limit: c.Limit, Repeat: c.Repeat})
	if err != nil {
		return row, err
	}
	if h := out.History; c.Histories != nil && len(h.Objectives) > 0 {
		h.Group, h.Problem, h.Part, h.Solver, h.Version = row.Group, row.Problem, row.Part, row.Solver, row.Version
		if err := c.Histories.Add(h); err != nil {
			return row, err
		}
	}
	nan := math.NaN()
	row.Status, row.Iterations, row.Message = out.Status, out.Iterations, process.Short(out.Message)
	row.Wall, row.CPU, row.Objective, row.Violation, row.Missed = out.Wall, out.CPU, nan, nan, nan
	if out.Point == nil {
		row.Wall, row.CPU = nan, nan
		return row, nil
	}
	m, err := p.Measure(out.Point)
	if err != nil {
		row.Message = strings.TrimPrefix(row.Message+"; "+process.Short(err.Error()), "; ")
		return row, nil
	}
	row.Objective, row.Violation, row.Missed = m.Objective, m.Violation, m.Missed
	return row, nil
}
