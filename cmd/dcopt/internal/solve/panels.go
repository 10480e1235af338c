package solve

import (
	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/internal/scene"
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

// panels are those of the solution and of the run, with their title.
type panels struct {
	title         string
	solution, run []scene.Panel
}

// draw draws the panels that --panels names: the solution, the run, or the run below the solution.
func (j *job) draw() error {
	solution, run, title := j.drawn.solution, j.drawn.run, j.drawn.title
	switch j.c.String("panels") {
	case panelsSolution:
		if len(solution) == 0 {
			j.note("there is nothing in the solution to draw; the picture shows the run")
			break
		}
		run = nil
	case panelsRun:
		solution = nil
	}
	if len(solution) == 1 {
		title = "" // which it has itself
	}
	return j.plot.Write(title, solution, run)
}
