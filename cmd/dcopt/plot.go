package main

import (
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/picture"
	"github.com/dcopt/dcopt/lder"
)

// plotFlag is the output of --plot; nil: none is asked for.
func plotFlag(c *cli.Context) (*output, error) {
	if !c.IsSet("plot") {
		return nil, nil
	}
	path := c.String("plot")
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case path == "":
		return nil, usagef("--plot: the name of the file is empty")
	case ext == "":
		return nil, usagef("--plot %s: want a name that ends in .svg", path)
	case ext != ".svg":
		return nil, usagef("--plot %s: plots are .svg files, not %s; browsers and most programs that take pictures open them", path, ext)
	}
	return sessionOf(c).create(path)
}

// writePlot draws a model, see picture.Model.
func writePlot(out *output, r *lder.Regressor, x [][]float64, y []float64) error {
	if out == nil {
		return nil
	}
	svg, err := picture.Model(r, x, y)
	if err != nil {
		return badFile(err)
	}
	out.Write(svg) // commit has the error
	return out.commit()
}
