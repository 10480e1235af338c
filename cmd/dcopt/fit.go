package main

import (
	"errors"
	"fmt"

	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

func fitCommand() *cli.Command {
	return &cli.Command{
		Name:      "fit",
		Usage:     "train an l-DER regressor on a table",
		ArgsUsage: "DATA",
		UsageText: "dcopt fit DATA --target NAME -o MODEL.json [FLAGS]",
		Description: "DATA is a CSV or TSV file with a header row, plain or with .gz; - reads standard input. Missing values of\n" +
			"features are filled, rows without a target are left out.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write the model to `FILE`, whole or not at all"},
		}, append(trainingFlags(), &cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "a line for each iteration, on standard error"})...),
		Action: fit,
	}
}

// trainingFlags are those that fit and cv share.
func trainingFlags() []cli.Flag {
	set := lder.DefaultSettings()
	return []cli.Flag{
		&cli.StringFlag{Name: "target", Aliases: []string{"t"}, Usage: "the column to predict, `NAME`"},
		&cli.StringSliceFlag{Name: "exclude", Aliases: []string{"x"}, Usage: "leave the column `NAME` out; may be repeated"},
		&cli.BoolFlag{Name: "drop-text", Usage: "leave out columns that are no numbers, instead of refusing them"},
		&cli.StringFlag{Name: "method", Value: set.Method.String(), Usage: "training method, `NAME`"},
		&cli.StringFlag{Name: "pieces", Value: fmt.Sprintf("%d,%d", set.Pieces[0], set.Pieces[1]), Usage: "numbers of affine functions in the two maxima, `R1,R2`"},
		&cli.IntFlag{Name: "max-iter", Value: set.MaxIter, Usage: "at most `N` convex problems"},
		&cli.Float64Flag{Name: "tol", Value: set.Tol, Usage: "converged when the mean squared error changes by less than `T` times the target's variance"},
		&cli.Uint64Flag{Name: "seed", Usage: "seed `S` of what is drawn: the folds of cv; method ccp draws nothing"},
		backendFlag(),
		jsonFlag(),
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no notes, no progress; of fit, no summary"},
	}
}

// trainingSettings reads the training flags.
func trainingSettings(c *cli.Context) (lder.Settings, error) {
	set := lder.DefaultSettings()
	var err error
	if set.Method, err = lder.ParseMethod(c.String("method")); err != nil {
		return set, usagef("--method: %w", err)
	}
	if set.Pieces, err = parsePieces(c.String("pieces")); err != nil {
		return set, err
	}
	if set.Backend, err = backendOf(c); err != nil {
		return set, err
	}
	set.MaxIter, set.Tol = c.Int("max-iter"), c.Float64("tol")
	switch {
	case set.MaxIter < 1:
		return set, usagef("--max-iter %d: want at least 1", set.MaxIter)
	case !(set.Tol > 0) || math.IsInf(set.Tol, 1):
		return set, usagef("--tol %g: want a number > 0", set.Tol)
	case c.String("target") == "":
		return set, usagef("%s: which column is the target? Give --target NAME", c.Command.Name)
	}
	if err := set.Validate(); err != nil {
		return set, usagef("%w", err)
	}
	return set, nil
}

func parsePieces(s string) (pieces [2]int, err error) {
	a, b, _ := strings.Cut(s, ",")
	r1, err1 := strconv.Atoi(strings.TrimSpace(a))
	r2, err2 := strconv.Atoi(strings.TrimSpace(b))
	if err1 != nil || err2 != nil || r1 < 1 || r2 < 1 {
		return pieces, usagef("--pieces %s: want two numbers from 1 such as 3,2", s)
	}
	return [2]int{r1, r2}, nil
}

// readTable reads a table; "-" is standard input.
func readTable(c *cli.Context, path string) (*dataset.Table, error) {
	var t *dataset.Table
	var err error
	if path == "-" {
		t, err = dataset.Read(c.App.Reader, "standard input", dataset.Options{})
	} else {
		t, err = dataset.ReadFile(path, dataset.Options{})
	}
	return t, dataError(err)
}

// dataError tells a file that cannot be read from one that is wrong.
func dataError(err error) error {
	var pe *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &pe):
		return usagef("%w", err)
	}
	return badFile(placed{err})
}

// trainingData reads a table and splits it as the flags say.
func trainingData(c *cli.Context, path string) (*dataset.Data, error) {
	t, err := readTable(c, path)
	if err != nil {
		return nil, err
	}
	sel := dataset.DefaultSelection()
	sel.Exclude = c.StringSlice("exclude")
	if c.Bool("drop-text") {
		sel.Text = dataset.Drop
	}
	for _, name := range append([]string{c.String("target")}, sel.Exclude...) {
		if _, err := t.Column(name); err != nil {
			return nil, usagef("%w", err)
		}
	}
	d, err := t.Supervised(c.String("target"), sel)
	if err != nil {
		return nil, dataError(err)
	}
	if !c.Bool("quiet") {
		for _, n := range d.Notes {
			fmt.Fprintf(c.App.ErrWriter, "dcopt: %s: %s\n", t.Name, n)
		}
	}
	return d, nil
}

func fit(c *cli.Context) error {
	path, err := oneFile(c)
	if err != nil {
		return err
	}
	set, err := trainingSettings(c)
	if err != nil {
		return err
	}
	if c.String("out") == "" {
		return usagef("fit: where does the model go? Give -o MODEL.json")
	}
	out, err := openOutput(c.String("out"), nil)
	if err != nil {
		return err
	}
	d, err := trainingData(c, path)
	if err != nil {
		return err
	}
	var p *progress
	switch {
	case c.Bool("verbose"):
		set.Recorder = ccp.Printer(c.App.ErrWriter)
	case !c.Bool("quiet"):
		p = startProgress(c.App.ErrWriter, "training")
		set.Recorder = p.recorder()
	}
	r := lder.NewRegressor(set)
	r.Features, r.Target = d.Features, d.Target
	begin := time.Now()
	err = r.Fit(c.Context, d.X, d.Y)
	p.stop()
	if err != nil && !isContextError(err) {
		return badFile(fmt.Errorf("%s: %w", path, err))
	}
	if r.Model == nil {
		return &failure{exitInterrupted, errors.New("interrupted before there was a model; nothing is written")}
	}
	if _, err := r.WriteTo(out); err != nil {
		return err
	}
	if err := out.commit(); err != nil {
		return err
	}
	if err := fitSummary(c, r, time.Since(begin)); err != nil {
		return err
	}
	switch r.Training.Status {
	case ccp.Converged:
		return nil
	case ccp.Cancelled:
		return ended(exitInterrupted)
	}
	return ended(exitNotSolved)
}

func fitSummary(c *cli.Context, r *lder.Regressor, d time.Duration) error {
	t, w := r.Training, c.App.Writer
	if c.Bool("json") {
		b, err := line(object{
			{"status", t.Status.String()}, {"method", t.Method.String()}, {"pieces", r.Settings.Pieces},
			{"rows", t.Rows}, {"target", r.Target}, {"features", r.Features}, {"iterations", t.Iterations},
			{"start_mse", number(t.StartMSE)}, {"mse", number(t.MSE)}, {"fvu", number(t.FVU)},
			{"seconds", number(d.Seconds())}, {"model", c.String("out")},
		})
		if err != nil {
			return err
		}
		_, err = w.Write(b)
		return err
	}
	if c.Bool("quiet") {
		return nil
	}
	_, err := fmt.Fprintf(w, "%-13s%s\n%-13s%d, target %s, features %s\n%-13s%s at the start, now %s (FVU %s)\n%-13s%d, %s s\n%-13s%s\n",
		"status", t.Status,
		"rows", t.Rows, r.Target, brief(r.Features),
		"mse", show(t.StartMSE, 6), show(t.MSE, 6), show(t.FVU, 4),
		"iterations", t.Iterations, show(d.Seconds(), 3),
		"model", c.String("out"))
	return err
}

// brief lists the first names.
func brief(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// openModel reads a model file.
func openModel(path string) (*lder.Regressor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usagef("%w", err)
	}
	defer f.Close()
	r, err := lder.Read(f, path)
	var pe *fs.PathError
	switch {
	case errors.As(err, &pe):
		return nil, usagef("%w", err)
	case err != nil:
		return nil, badFile(placed{err})
	}
	return r, nil
}
