package picture

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/internal/scene"
	"github.com/dcopt/dcopt/lder"
)

// File is the output of --plot; nil: none is asked for.
type File struct {
	out    *session.Output
	format string // of Formats
}

// Flag is the output of --plot.
func Flag(c *cli.Context) (*File, error) {
	if !c.IsSet("plot") {
		return nil, nil
	}
	path := c.String("plot")
	ext := strings.ToLower(filepath.Ext(path))
	switch {
	case path == "":
		return nil, exit.Usagef("--plot: the name of the file is empty")
	case ext == "":
		return nil, exit.Usagef("--plot %s: want a name that ends in .svg or .png", path)
	case !slices.Contains(Formats, ext):
		return nil, exit.Usagef("--plot %s: plots are .svg and .png files, not %s", path, ext)
	}
	out, err := session.Of(c).Create(path)
	if err != nil {
		return nil, err
	}
	return &File{out, ext}, nil
}

// Discard gives the output up, unless it is written.
func (p *File) Discard() {
	if p != nil {
		p.out.Discard()
	}
}

// Write draws panels of a solution and of a run.
func (p *File) Write(title string, solution, run []scene.Panel) error {
	drawn, err := Draw(title, solution, run, p.format)
	if err != nil {
		return err
	}
	p.out.Write(drawn) // commit has the error
	return p.out.Commit()
}

// WriteModel draws a model, see picture.Model.
func (p *File) WriteModel(r *lder.Regressor, x [][]float64, y []float64) error {
	if p == nil {
		return nil
	}
	m, err := Model(r, x, y)
	if err != nil {
		return exit.BadFile(err)
	}
	return p.Write("", []scene.Panel{m}, nil)
}
