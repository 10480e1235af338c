package models

import (
	"bufio"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

func PredictCommand() *cli.Command {
	return &cli.Command{
		Name:      "predict",
		Usage:     "apply a model to a table",
		ArgsUsage: "MODEL DATA",
		UsageText: "dcopt predict MODEL.json DATA [FLAGS]",
		Description: "Writes a CSV file with the column \"prediction\" and a row for each row of DATA, which may be " +
			"larger than the\n" +
			"memory; - reads standard input. The features are looked up in the header by name; other columns are " +
			"not looked at.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"},
				Usage: "write to `FILE`, whole or not at all, instead of standard output"},
			&cli.BoolFlag{Name: "proba",
				Usage: "of a classifier, a column target=class for each class, besides, with its probability"},
		}, tableFlags()...),
		Action: predict,
	}
}

func predict(c *cli.Context) error {
	if c.Args().Len() != 2 {
		return exit.Usagef("predict: want a model and a table, not %d files. Usage: %s", c.Args().Len(),
			c.Command.UsageText)
	}
	out, err := flags.Out(c)
	if err != nil {
		return err
	}
	defer out.Discard()
	m, err := openPredictor(c, c.Args().Get(0))
	if err != nil {
		return err
	}
	in, name, err := openTable(c, c.Args().Get(1))
	if err != nil {
		return err
	}
	defer in.Close()
	s, err := dataset.OpenStream(in, name, dataset.Options{DecimalComma: c.Bool("decimal-comma")})
	if err != nil {
		return exit.Data(err)
	}
	if err := s.Select(m.features, m.categories); err != nil {
		return exit.Data(err)
	}
	if err := predictTo(c, s, m, name, out); err != nil {
		return err
	}
	return out.Commit()
}

// predictTo writes a prediction a row, as rows come in.
func predictTo(c *cli.Context, s *dataset.Stream, m *predictor, name string, out *session.Output) error {
	w := bufio.NewWriterSize(out, 1<<16)
	w.Write(csvRow(nil, m.head)) // Flush has the error
	rows, unknown := 0, 0
	var p *session.Progress
	if out.ToFile() {
		p = session.Of(c).Log.Progress("predicting")
		defer p.Stop()
	}
	work := func(b *dataset.Block) error {
		var err error
		if b.Out, err = m.rows(b.Out, b.X); err != nil {
			for i := range b.X { // which row is it?
				if _, err := m.rows(nil, b.X[i:i+1]); err != nil {
					return exit.Placed(fmt.Errorf("%s:%d: the features %v are too large, the prediction overflows",
						name, b.Lines[i], b.X[i]))
				}
			}
		}
		return err
	}
	err := s.Each(runtime.GOMAXPROCS(0), work, func(b *dataset.Block) error {
		if c.Context.Err() != nil {
			return exit.As(exit.Interrupted, fmt.Errorf("interrupted after %d rows", rows))
		}
		rows += len(b.X)
		p.Say("predicting, %d rows", rows)
		unknown += b.Unknown
		_, err := w.Write(b.Out)
		return err
	})
	if err == nil {
		err = w.Flush()
	}
	if out.Failed() {
		return nil // commit has the error
	}
	var f *exit.Failure
	if err != nil && !errors.As(err, &f) {
		return exit.Data(err)
	}
	if unknown > 0 {
		session.Of(c).Log.Note("%s: words of categorical columns that the training table had not count as missing: %d",
			name, unknown)
	}
	return err
}

// predictor makes rows of CSV from rows of features.
type predictor struct {
	features   []string
	categories []dataset.Category
	head       []string
	rows       func(dst []byte, x [][]float64) ([]byte, error) // appends; for many goroutines
}

// openPredictor reads a model file of either kind.
func openPredictor(c *cli.Context, path string) (*predictor, error) {
	f, err := session.Of(c).Open(c.Context, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, classes, err := lder.ReadAny(f, path)
	switch {
	case err != nil:
		return nil, exit.Data(err)
	case classes != nil:
		return classPredictor(classes, c.Bool("proba")), nil
	case c.Bool("proba"):
		return nil, exit.Usagef("--proba: %s holds a regressor, which has no classes; dcopt fit --classify makes a "+
			"classifier", path)
	}
	m := &predictor{features: r.Features, categories: r.Categories, head: []string{"prediction"}}
	m.rows = func(dst []byte, x [][]float64) ([]byte, error) {
		p := make([]float64, len(x))
		if err := r.PredictTo(p, x); err != nil {
			return dst, err
		}
		for _, v := range p {
			dst = append(strconv.AppendFloat(dst, v, 'g', -1, 64), '\n')
		}
		return dst, nil
	}
	return m, nil
}

// classPredictor gives labels, and with proba a column for each class.
func classPredictor(c *lder.Classifier, proba bool) *predictor {
	m := &predictor{features: c.Features, categories: c.Categories, head: []string{"prediction"}}
	if proba {
		for _, l := range c.Classes {
			m.head = append(m.head, c.Target+"="+l)
		}
	}
	m.rows = func(dst []byte, x [][]float64) ([]byte, error) {
		labels, err := c.Predict(x)
		if err != nil {
			return dst, err
		}
		var p [][]float64
		if proba {
			if p, err = c.Proba(x); err != nil {
				return dst, err
			}
		}
		fields := make([]string, len(m.head))
		for i, l := range labels {
			fields[0] = l
			for k := range fields[1:] {
				fields[1+k] = strconv.FormatFloat(p[i][k], 'g', -1, 64)
			}
			dst = csvRow(dst, fields)
		}
		return dst, nil
	}
	return m
}

// csvRow appends a line of CSV, quoted as RFC 4180 says.
func csvRow(dst []byte, fields []string) []byte {
	for k, f := range fields {
		if k > 0 {
			dst = append(dst, ',')
		}
		if !strings.ContainsAny(f, ",\"\r\n") {
			dst = append(dst, f...)
			continue
		}
		dst = append(dst, '"')
		dst = append(dst, strings.ReplaceAll(f, `"`, `""`)...)
		dst = append(dst, '"')
	}
	return append(dst, '\n')
}
