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
	size   Size
}

// Flag is --plot.
func Flag(usage string) cli.Flag { return &cli.StringFlag{Name: "plot", Usage: usage} }

// Width is --width.
func Width() cli.Flag {
	usage := "of the picture, `W` pixels of a screen; texts keep their size"
	return &cli.IntFlag{Name: "width", Value: DefaultSize().Width, Usage: usage}
}

// DPI is --dpi.
func DPI() cli.Flag {
	return &cli.IntFlag{Name: "dpi", Value: DefaultSize().DPI, Usage: "`D` dots per inch of a .png; a screen has 96"}
}

// Of is the output of --plot.
func Of(c *cli.Context) (*File, error) {
	size := Size{Width: c.Int("width"), DPI: c.Int("dpi")}
	switch {
	case !c.IsSet("plot") && (c.IsSet("width") || c.IsSet("dpi")):
		return nil, exit.Usagef("--width and --dpi go with --plot")
	case !c.IsSet("plot"):
		return nil, nil
	case size.Width < leastWidth || size.Width > mostWidth:
		return nil, exit.Usagef("--width %d: want %d to %d pixels", size.Width, leastWidth, mostWidth)
	case size.Width*size.DPI/96 > mostPixels:
		return nil, exit.Usagef("--width %d --dpi %d: more than %d dots in a row", size.Width, size.DPI, mostPixels)
	case size.DPI < leastDPI || size.DPI > mostDPI:
		return nil, exit.Usagef("--dpi %d: want %d to %d", size.DPI, leastDPI, mostDPI)
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
	return &File{out, ext, size}, nil
}

// The limits of sizes. Source: a picture below the first is empty, one above the others takes
// more than 1 GB of memory.
const (
	leastWidth, mostWidth = 240, 4000
	leastDPI, mostDPI     = 24, 600
	mostPixels            = 10000
)

// Discard gives the output up, unless it is written.
func (p *File) Discard() {
	if p != nil {
		p.out.Discard()
	}
}

// Write draws panels of a solution and of a run.
func (p *File) Write(title string, solution, run []scene.Panel) error {
	drawn, err := Draw(title, solution, run, p.format, p.size)
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
