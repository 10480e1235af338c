package solve

import (
	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/picture"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/report"
)

// The parts of a picture of a solve, values of --panels.
const (
	panelsAll      = "all"
	panelsSolution = "solution"
	panelsRun      = "run"
)

// panelsFlag checks --panels.
func panelsFlag(c *cli.Context) error {
	switch name := c.String("panels"); {
	case name != panelsAll && name != panelsSolution && name != panelsRun:
		return exit.Usagef("--panels %s: want all, solution or run", name)
	case c.IsSet("panels") && !c.IsSet("plot"):
		return exit.Usagef("--panels goes with --plot")
	}
	return nil
}

// draw draws the report as --panels says: the solution, and below it the run.
func (j *job) draw(r *report.Report) error {
	solution, run := r.Panels, picture.Run(r.History)
	switch j.c.String("panels") {
	case panelsSolution:
		if len(solution) == 0 {
			j.note("--panels solution: there is nothing in the solution to draw; the picture shows the run")
			break
		}
		run = nil
	case panelsRun:
		solution = nil
	}
	title := j.path
	if len(run) == 0 && len(solution) > 0 {
		title = ""
	}
	return j.plot.Write(title, solution, run)
}
