package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	if c.IsSet("out") && c.String("out") == "" {
		return usagef("--out: the name of the file is empty")
	}
	if _, err := openOutput(c.String("out"), c.App.Writer); err != nil {
		return err // before the work
	}
	r, err := openModel(c.Args().Get(0))
	if err != nil {
		return err
	}
	path, name := c.Args().Get(1), c.Args().Get(1)
	in := c.App.Reader
	if path == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return usagef("%w", err)
		}
		defer f.Close()
		in = f
	}
	s, err := dataset.OpenStream(in, name, dataset.Options{DecimalComma: c.Bool("decimal-comma")})
	if err != nil {
		return dataError(err)
	}
	if err := s.Select(r.Features, r.Categories); err != nil {
		return dataError(err)
	}
	if c.String("out") == "" {
		return predictTo(c, s, r, name, c.App.Writer)
	}
	return growFile(c.String("out"), func(w io.Writer) error { return predictTo(c, s, r, name, w) })
}

// predictTo writes a prediction a row, as rows come in.
func predictTo(c *cli.Context, s *dataset.Stream, r *lder.Regressor, name string, out io.Writer) error {
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
		if _, err := w.Write(b.Out); err != nil {
			return usagef("cannot write the predictions: %w", err)
		}
		return nil
	})
	if err == nil {
		if flush := w.Flush(); flush != nil {
			err = usagef("cannot write the predictions: %w", flush)
		}
	}
	var f *failure
	if err != nil && !errors.As(err, &f) {
		return dataError(err)
	}
	if unknown > 0 {
		fmt.Fprintf(c.App.ErrWriter, "dcopt: %s: words of categorical columns that the training table had not count as missing: %d\n", name, unknown)
	}
	return err
}

// growFile lets write fill a file that appears under its name at the end, or
// not at all.
func growFile(path string, write func(io.Writer) error) (err error) {
	if info, e := os.Stat(path); e == nil {
		if !info.Mode().IsRegular() {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return usagef("cannot write: %w", err)
			}
			defer f.Close()
			return write(f)
		}
		if path, e = filepath.EvalSymlinks(path); e != nil {
			return usagef("cannot write: %w", e)
		}
	}
	f, err := temporary(path)
	if err != nil {
		return usagef("cannot write %s: %w", path, reason(err))
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if old, e := os.Stat(path); e == nil {
		if e := f.Chmod(old.Mode().Perm()); e != nil {
			return usagef("cannot write %s: %w", path, reason(e))
		}
	}
	if err := write(f); err != nil {
		return err
	}
	if e := errors.Join(f.Sync(), f.Close()); e != nil {
		return usagef("cannot write %s: %w", path, e)
	}
	if e := os.Rename(f.Name(), path); e != nil {
		return usagef("cannot write %s: %w", path, reason(e))
	}
	return nil
}
