package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/picture"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/report"
	"github.com/dcopt/dcopt/internal/scene"
	"github.com/dcopt/dcopt/lder"
)

// plot is the output of --plot; nil: none is asked for.
type plot struct {
	out    *output
	format string // of picture.Formats
}

// plotFlag is the output of --plot.
func plotFlag(c *cli.Context) (*plot, error) {
	if !c.IsSet("plot") {
		return nil, nil
	}
	path := c.String("plot")
	ext := strings.ToLower(filepath.Ext(path))
	switch {
	case path == "":
		return nil, usagef("--plot: the name of the file is empty")
	case ext == "":
		return nil, usagef("--plot %s: want a name that ends in .svg or .png", path)
	case !slices.Contains(picture.Formats, ext):
		return nil, usagef("--plot %s: plots are .svg and .png files, not %s", path, ext)
	}
	out, err := sessionOf(c).create(path)
	if err != nil {
		return nil, err
	}
	return &plot{out, ext}, nil
}

// discard gives the output up, unless it is written.
func (p *plot) discard() {
	if p != nil {
		p.out.discard()
	}
}

// write draws panels of a solution and of a run.
func (p *plot) write(title string, solution, run []scene.Panel) error {
	drawn, err := picture.Draw(title, solution, run, p.format)
	if err != nil {
		return err
	}
	p.out.Write(drawn) // commit has the error
	return p.out.commit()
}

// writePlot draws a model, see picture.Model.
func writePlot(p *plot, r *lder.Regressor, x [][]float64, y []float64) error {
	if p == nil {
		return nil
	}
	m, err := picture.Model(r, x, y)
	if err != nil {
		return badFile(err)
	}
	return p.write("", []scene.Panel{m}, nil)
}

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
		return usagef("--panels %s: want all, solution or run", name)
	case c.IsSet("panels") && !c.IsSet("plot"):
		return usagef("--panels goes with --plot")
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
	return j.plot.write(title, solution, run)
}
