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

	"github.com/dcopt/dcopt/bench/internal/dcset"
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
	History    []Step      // empty: the solver does not tell
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
	Histories *Histories
	// Tell is called before each measurement; nil: nobody.
	Tell func(done, all int, instance, solver string)
}

// Run makes the measurements that table lacks, a problem with all solvers before the next. It
// returns ctx.Err() if it was interrupted.
func (c *Campaign) Run(ctx context.Context, table *Table) error {
	have := map[string]bool{}
	for _, r := range Latest(table.Rows) {
		have[r.Terms()] = true
	}
	var todo []dcset.Instance
	for _, in := range c.Instances {
		if c.Only == nil || c.Only.MatchString(in.Name()) {
			todo = append(todo, in)
		}
	}
	if len(todo) == 0 {
		return errors.New("no problem is left to solve: --only fits none")
	}
	versions := make([]string, len(c.Solvers))
	for k, s := range c.Solvers {
		v, err := s.Version(ctx)
		if err != nil {
			return fmt.Errorf("solver %s: %w", s.Name(), err)
		}
		versions[k] = v
	}
	done, all := 0, len(todo)*len(c.Solvers)
	for _, in := range todo {
		var p *dcset.Program // made when first needed
		for k, s := range c.Solvers {
			if c.Tell != nil {
				c.Tell(done, all, in.Name(), s.Name())
			}
			done++
			row := Row{Group: in.Group, Problem: in.Problem, Part: in.Part, Solver: s.Name(), Limit: c.Limit,
				Repeat: c.Repeat, Version: versions[k]}
			if have[row.Terms()] {
				continue
			}
			var err error
			if p == nil {
				if p, err = c.prepare(in); err != nil {
					return fmt.Errorf("%s: %w", in.Name(), err)
				}
			}
			var history []Step
			if row, history, err = c.measure(ctx, s, p, row); err != nil {
				return err
			}
			// Before the row: a problem with a row is not measured again.
			if err := c.keep(row, history); err != nil {
				return err
			}
			if err := table.Add(row); err != nil {
				return err
			}
		}
	}
	if c.Tell != nil {
		c.Tell(all, all, "", "")
	}
	return nil
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

// keep writes the history of a row.
func (c *Campaign) keep(row Row, history []Step) error {
	if c.Histories == nil || len(history) == 0 {
		return nil
	}
	return c.Histories.Add(History{row.Group, row.Problem, row.Part, row.Solver, row.Version, history})
}

// measure fills the row.
func (c *Campaign) measure(ctx context.Context, s Solver, p *dcset.Program, row Row) (Row, []Step, error) {
	out, err := s.Solve(ctx, Request{Folder: c.folder(), Limit: c.Limit, Repeat: c.Repeat})
	if err != nil {
		return row, nil, err
	}
	nan := math.NaN()
	row.Status, row.Iterations, row.Message = out.Status, out.Iterations, short(out.Message)
	row.Wall, row.CPU, row.Objective, row.Violation, row.Missed = out.Wall, out.CPU, nan, nan, nan
	if out.Point == nil {
		row.Wall, row.CPU = nan, nan
		return row, out.History, nil
	}
	m, err := p.Measure(out.Point)
	if err != nil {
		row.Message = strings.TrimPrefix(row.Message+"; "+short(err.Error()), "; ")
		return row, out.History, nil
	}
	row.Objective, row.Violation, row.Missed = m.Objective, m.Violation, m.Missed
	return row, out.History, nil
}

// short is s on one line, fit for a table.
func short(s string) string {
	const most = 240
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "..."
	}
	return s
}
