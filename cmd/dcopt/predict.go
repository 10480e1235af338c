package main

import (
	"bufio"
	"errors"
	"fmt"
	"runtime"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

func predictCommand() *cli.Command {
	return &cli.Command{
		Name:      "predict",
		Usage:     "apply a model to a table",
		ArgsUsage: "MODEL DATA",
		UsageText: "dcopt predict MODEL.json DATA [FLAGS]",
		Description: "Writes a CSV file with the one column \"prediction\" and a row for each row of DATA, which may be larger than the\n" +
			"memory; - reads standard input. The features are looked up in the header by name; other columns are not looked at.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write to `FILE`, whole or not at all, instead of standard output"},
		}, tableFlags()...),
		Action: predict,
	}
}

func predict(c *cli.Context) error {
	if c.Args().Len() != 2 {
		return usagef("predict: want a model and a table, not %d files. Usage: %s", c.Args().Len(), c.Command.UsageText)
	}
	out, err := outFlag(c)
	if err != nil {
		return err
	}
	defer out.discard()
	r, err := openModel(c, c.Args().Get(0))
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
		return dataError(err)
	}
	if err := s.Select(r.Features, r.Categories); err != nil {
		return dataError(err)
	}
	if err := predictTo(c, s, r, name, out); err != nil {
		return err
	}
	return out.commit()
}

// predictTo writes a prediction a row, as rows come in.
func predictTo(c *cli.Context, s *dataset.Stream, r *lder.Regressor, name string, out *output) error {
	w := bufio.NewWriterSize(out, 1<<16)
	fmt.Fprintln(w, "prediction")
	rows, unknown := 0, 0
	work := func(b *dataset.Block) error {
		p := make([]float64, len(b.X))
		if err := r.PredictTo(p, b.X); err != nil {
			for i := range b.X { // which row is it?
				if err := r.PredictTo(p[:1], b.X[i:i+1]); err != nil {
					return placed{fmt.Errorf("%s:%d: the features %v are too large, the prediction overflows", name, b.Lines[i], b.X[i])}
				}
			}
			return err
		}
		for _, v := range p {
			b.Out = append(strconv.AppendFloat(b.Out, v, 'g', -1, 64), '\n')
		}
		return nil
	}
	err := s.Each(runtime.GOMAXPROCS(0), work, func(b *dataset.Block) error {
		if c.Context.Err() != nil {
			return &failure{exitInterrupted, fmt.Errorf("interrupted after %d rows", rows)}
		}
		rows += len(b.X)
		unknown += b.Unknown
		_, err := w.Write(b.Out)
		return err
	})
	if err == nil {
		err = w.Flush()
	}
	if out.failed() {
		return nil // commit has the error
	}
	var f *failure
	if err != nil && !errors.As(err, &f) {
		return dataError(err)
	}
	if unknown > 0 {
		sessionOf(c).log.note("%s: words of categorical columns that the training table had not count as missing: %d", name, unknown)
	}
	return err
}
