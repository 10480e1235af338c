package models

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

// tableFlags say how tables are read.
func tableFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "decimal-comma", Usage: "read 3,5 as 3.5"},
	}
}

// readTable reads a table; "-" is standard input.
func readTable(c *cli.Context, path string, opt dataset.Options) (*dataset.Table, error) {
	opt.DecimalComma = c.Bool("decimal-comma")
	in, name, err := openTable(c, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t, err := session.Within(c.Context, func() (*dataset.Table, error) { return dataset.Read(in, name, opt) })
	return t, exit.Data(err)
}

// openTable opens a table and says how messages call it.
func openTable(c *cli.Context, path string) (in io.ReadCloser, name string, err error) {
	if name = path; path == "-" {
		name = "standard input"
	}
	in, err = session.Of(c).Open(c.Context, path)
	return in, name, err
}

// trainingTable is a table split as the flags say.
type trainingTable struct {
	*dataset.Data
	weights []float64 // nil: all alike
}

// splitting is a way to split a table: (*dataset.Table).Supervised or Take.
type splitting func(t *dataset.Table, target string, sel dataset.Selection) (*dataset.Data, error)

// trainingData reads a table and splits it.
func trainingData(c *cli.Context, path string, split splitting) (*trainingTable, error) {
	sel := dataset.DefaultSelection()
	sel.Exclude = c.StringSlice("exclude")
	if c.Bool("drop-text") {
		sel.Text = dataset.Drop
	}
	if c.IsSet("categorical") {
		coding, err := dataset.ParseCoding(c.String("categorical"))
		if err != nil {
			return nil, exit.Usagef("--categorical %s: want onehot or ordinal", c.String("categorical"))
		}
		if c.Bool("drop-text") {
			return nil, exit.Usagef("--categorical and --drop-text exclude each other")
		}
		sel.Text, sel.Coding = dataset.Encode, coding
	}
	t, err := readTable(c, path, dataset.Options{KeepText: sel.Text == dataset.Encode || c.Bool("classify")})
	if err != nil {
		return nil, err
	}
	weights := c.String("weights")
	if weights != "" {
		sel.Exclude = append(sel.Exclude, weights)
	}
	for _, name := range append([]string{c.String("target")}, sel.Exclude...) {
		if _, err := t.Column(name); err != nil {
			return nil, exit.Usagef("%w", err)
		}
	}
	d, err := split(t, c.String("target"), sel)
	if err != nil {
		return nil, exit.Data(err)
	}
	if !c.Bool("quiet") {
		for _, n := range d.Notes {
			session.Of(c).Log.Note("%s: %s", t.Name, n)
		}
	}
	table := &trainingTable{Data: d}
	if weights != "" {
		if table.weights, err = columnOf(t, weights, d); err != nil {
			return nil, exit.Data(err)
		}
	}
	return table, nil
}

// columnOf are the weights of the rows of d.
func columnOf(t *dataset.Table, name string, d *dataset.Data) ([]float64, error) {
	v, err := t.Numbers(name)
	if err != nil {
		return nil, err
	}
	w := make([]float64, len(d.Rows))
	for k, i := range d.Rows {
		w[k] = v[i]
		if !(w[k] >= 0) {
			return nil, &dataset.Error{File: t.Name, Line: d.Lines[k], Col: 1,
				Msg: fmt.Sprintf("the weight %q of the row is %g, want a number >= 0", name, w[k])}
		}
	}
	return w, nil
}

// byRows are the rows of columns.
func byRows(columns [][]float64) [][]float64 {
	x := make([][]float64, len(columns[0]))
	for i := range x {
		x[i] = make([]float64, len(columns))
		for j, column := range columns {
			x[i][j] = column[i]
		}
	}
	return x
}

// openModel reads the model file of a regressor.
func openModel(c *cli.Context, path string) (*lder.Regressor, error) {
	f, err := session.Of(c).Open(c.Context, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := session.Within(c.Context, func() (*lder.Regressor, error) { return lder.Read(f, path) })
	return r, exit.Data(err)
}
