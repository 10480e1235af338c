package models

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/picture"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/internal/garbage"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/shards"
)

func FitCommand() *cli.Command {
	return &cli.Command{
		Name:      "fit",
		Usage:     "train an l-DER regressor on a table",
		ArgsUsage: "DATA",
		UsageText: "dcopt fit DATA... --target NAME -o MODEL.json [FLAGS]",
		Description: "DATA is a CSV or TSV file with a header row, plain or with .gz; - reads standard input. " +
			"Missing values of\n" +
			"features are filled, rows without a target are left out. Several files, or a pattern such as " +
			"'part-*.csv.gz', are parts\n" +
			"of one table, which may be larger than the memory: they are read once or twice per iteration, with the " +
			"method refit.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"},
				Usage: "write the model to `FILE`, whole or not at all"},
			&cli.StringFlag{Name: "method", Value: lder.DefaultSettings().Method.String(),
				Usage: "training method, `NAME`: " + strings.Join(MethodNames(), ", ")},
			&cli.BoolFlag{Name: "classify",
				Usage: "train a classifier: the words or numbers of the target are classes"},
			&cli.StringFlag{Name: "weights",
				Usage: "the column `NAME` says how much each row counts; it is no feature"},
			BagsFlag(),
			picture.Flag("draw the model to `FILE`.svg or .png: of one or two features itself, " +
				"else predicted against observed"),
			picture.Width(), picture.DPI(),
			&cli.StringFlag{Name: "time-limit",
				Usage: "end the training after `DURATION`, such as 90s or 1.5m, with the best model so far; a " +
					"number alone is seconds"},
		}, append(Flags(), &cli.BoolFlag{Name: "verbose", Aliases: []string{"v"},
			Usage: "a line for each iteration, on standard error"})...),
		Action: fit,
	}
}

// MethodNames are the names of the methods of training.
func MethodNames() (names []string) {
	for _, m := range lder.Methods() {
		names = append(names, m.String())
	}
	return names
}

// Flags are those that fit and cv share.
func Flags() []cli.Flag {
	set := lder.DefaultSettings()
	return append(tableFlags(),
		&cli.StringFlag{Name: "target", Aliases: []string{"t"}, Usage: "the column to predict, `NAME`"},
		&cli.StringSliceFlag{Name: "exclude", Aliases: []string{"x"},
			Usage: "leave the column `NAME` out; may be repeated"},
		&cli.BoolFlag{Name: "drop-text", Usage: "leave out columns that are no numbers, instead of refusing them"},
		&cli.StringFlag{Name: "categorical",
			Usage: "turn columns that are no numbers into numbers, `CODING`: onehot, ordinal"},
		&cli.StringFlag{Name: "impute", Value: set.Imputation.String(),
			Usage: "fill missing features with the column's `WHAT`: mean, median, most_frequent, or a number"},
		&cli.StringFlag{Name: "pieces", Value: fmt.Sprintf("%d,%d", set.Pieces[0], set.Pieces[1]),
			Usage: "numbers of affine functions in the two maxima, `R1,R2`, of methods that do not choose them"},
		&cli.IntFlag{Name: "max-iter", Value: set.MaxIter, Usage: "at most `N` convex problems, or refits"},
		&cli.Float64Flag{Name: "tol", Value: set.Tol,
			Usage: "converged when the mean squared error changes by less than `T` times the target's variance"},
		&cli.Float64Flag{Name: "ridge",
			Usage: "`WEIGHT` of the squared slopes beside the mean squared error, all standardised; refit without " +
				"it takes 0.03"},
		&cli.IntFlag{Name: "max-features", Usage: "at most `K` features in a model; of a stack in each of its models"},
		&cli.IntFlag{Name: "formula-size",
			Usage: "at most `T` terms, slopes and constants that are not 0, in the formula of auto"},
		&cli.Uint64Flag{Name: "seed", Usage: "seed `S` of what is drawn: starts and bags, and the folds of cv"},
		flags.Backend(),
		flags.JSON(),
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no notes, no progress; of fit, no summary"},
	)
}

// Method is the method asked for; who gives the pieces and no method gets
// one that takes them.
func Method(c *cli.Context) string {
	if !c.IsSet("method") && c.IsSet("pieces") {
		return lder.Refit.String()
	}
	return c.String("method")
}

// Settings reads the training flags, for the method of that name.
func Settings(c *cli.Context, name string) (lder.Settings, error) {
	method, err := lder.ParseMethod(name)
	if err != nil {
		return lder.Settings{}, exit.Usagef("--method: %w", err)
	}
	set := lder.MethodSettings(method)
	if set.Pieces, err = parsePieces(c.String("pieces")); err != nil {
		return set, err
	}
	if set.Backend, err = flags.BackendOf(c); err != nil {
		return set, err
	}
	set.MaxIter, set.Tol, set.Seed = c.Int("max-iter"), c.Float64("tol"), c.Uint64("seed")
	if c.IsSet("ridge") {
		set.Ridge = c.Float64("ridge")
	}
	if set.Imputation, set.FillValue, err = parseImpute(c.String("impute")); err != nil {
		return set, err
	}
	set.MaxFeatures, set.FormulaSize = c.Int("max-features"), c.Int("formula-size")
	switch {
	case c.IsSet("max-features") && (set.MaxFeatures < 1 || !method.Chooses()):
		return set, exit.Usagef("--max-features %d: want at least 1, and a method that chooses: auto, cheap, bagged "+
			"or ensemble", set.MaxFeatures)
	case c.IsSet("formula-size") && (set.FormulaSize < 2 || method != lder.Auto):
		return set, exit.Usagef("--formula-size %d: want at least 2, and the method auto", set.FormulaSize)
	case set.MaxIter < 1:
		return set, exit.Usagef("--max-iter %d: want at least 1", set.MaxIter)
	case !(set.Tol > 0) || math.IsInf(set.Tol, 1):
		return set, exit.Usagef("--tol %g: want a number > 0", set.Tol)
	case !(set.Ridge >= 0) || math.IsInf(set.Ridge, 1):
		return set, exit.Usagef("--ridge %g: want a number >= 0", set.Ridge)
	case c.String("target") == "":
		return set, exit.Usagef("%s: which column is the target? Give --target NAME", c.Command.Name)
	}
	if err := set.Validate(); err != nil {
		return set, exit.Usagef("%w", err)
	}
	return set, nil
}

func parsePieces(s string) (pieces [2]int, err error) {
	a, b, _ := strings.Cut(s, ",")
	r1, err1 := strconv.Atoi(strings.TrimSpace(a))
	r2, err2 := strconv.Atoi(strings.TrimSpace(b))
	if err1 != nil || err2 != nil || r1 < 1 || r2 < 1 {
		return pieces, exit.Usagef("--pieces %s: want two numbers from 1 such as 3,2", s)
	}
	return [2]int{r1, r2}, nil
}

func parseImpute(s string) (dataset.Strategy, float64, error) {
	if v, ok := flags.Finite(s); ok {
		return dataset.Constant, v, nil
	}
	how, err := dataset.ParseStrategy(s)
	if err != nil || how == dataset.Constant {
		return 0, 0, exit.Usagef("--impute %s: want mean, median, most_frequent or a number", s)
	}
	return how, 0, nil
}

func fit(c *cli.Context) error {
	if paths, err := Parts(c); paths != nil || err != nil {
		if err != nil {
			return err
		}
		return fitParts(c, paths)
	}
	path, err := flags.OneFile(c)
	if err != nil {
		return err
	}
	if c.IsSet("bags") {
		return exit.Usagef("--bags is for a table in parts, files or a quoted pattern; of one file --method bagged " +
			"makes bags")
	}
	set, err := Settings(c, Method(c))
	if err != nil {
		return err
	}
	noteUnused(c, set.Method)
	limit, out, err := limitAndOut(c)
	if err != nil {
		return err
	}
	defer out.Discard()
	if !c.Bool("quiet") && !c.Bool("verbose") {
		defer session.Of(c).Log.Progress("reading").Stop()
	}
	if c.Bool("classify") {
		if c.IsSet("plot") {
			return exit.Usagef("--plot draws what a regressor predicts; with --classify there is no picture")
		}
		return fitClasses(c, path, set, limit, out)
	}
	plot, err := picture.Of(c)
	if err != nil {
		return err
	}
	defer plot.Discard()
	d, err := trainingData(c, path, (*dataset.Table).Take)
	if err != nil {
		return err
	}
	defer garbage.Mind(len(d.Y) * len(d.Features))()
	d.Rows, d.Lines = nil, nil // not needed any more
	var kept [][]float64
	if plot != nil {
		kept = slices.Clone(d.Columns) // train takes their contents
	}
	r, spent, err := train(c, set, limit, d)
	if err != nil && !exit.IsContext(err) {
		return exit.BadFile(fmt.Errorf("%s: %w", path, err))
	}
	if r.Model == nil && r.Ensemble == nil {
		return noModel(err, "a model")
	}
	if err := Write(r, out, plot, kept, d.Y); err != nil {
		return err
	}
	if err := Summary(c, r, shards.Scores{}, spent); err != nil {
		return err
	}
	return afterTraining(r.Training.Status)
}

// limitAndOut are the time limit of a fit, 0 where there is none, and the file of its model.
func limitAndOut(c *cli.Context) (limit time.Duration, out *session.Output, err error) {
	if c.IsSet("time-limit") {
		if limit, err = flags.Limit(c.String("time-limit")); err != nil {
			return 0, nil, err
		}
	}
	if c.String("out") == "" {
		return 0, nil, exit.Usagef("fit: where does the model go? Give -o MODEL.json")
	}
	out, err = flags.Out(c)
	return limit, out, err
}

// afterTraining ends a fit with the code of its status.
func afterTraining(status ccp.Status) error {
	switch status {
	case ccp.Converged:
		return nil
	case ccp.Cancelled:
		return exit.With(exit.Interrupted)
	}
	return exit.With(exit.NotSolved)
}

// noModel is the failure of a training that ended before there was anything to write.
func noModel(err error, of string) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return exit.As(exit.NotSolved, fmt.Errorf("the time limit ended the training before there was %s; nothing "+
			"is written", of))
	}
	return exit.As(exit.Interrupted, fmt.Errorf("interrupted before there was %s; nothing is written", of))
}

// limited is ctx, with an end after limit unless that is 0.
func limited(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
}

// Write writes the model and, unless plot is nil, draws it with the table.
func Write(r *lder.Regressor, out *session.Output, plot *picture.File, columns [][]float64, y []float64) error {
	if _, err := r.WriteTo(out); err != nil && !out.Failed() {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	if plot == nil {
		return nil
	}
	return plot.WriteModel(r, byRows(columns), y)
}

// noteUnused tells which flags a method that chooses by itself does not look at.
func noteUnused(c *cli.Context, method lder.Method) {
	for _, name := range []string{"pieces", "max-iter", "tol", "ridge"} {
		if c.IsSet(name) && method.Chooses() && !c.Bool("quiet") {
			session.Of(c).Log.Note("method %v chooses by itself and does not look at --%s", method, name)
		}
	}
}

// train fits, which takes d.Columns, and shows how far it is. Unlike an interruption, the
// end of the limit waits for the model so far.
func train(c *cli.Context, set lder.Settings, limit time.Duration,
	d *trainingTable) (*lder.Regressor, time.Duration, error) {
	p := trainingProgress(c, &set)
	ctx, cancel := withFirst(c.Context, &set)
	defer cancel(nil)
	r := lder.NewRegressor(set)
	r.Features, r.Target, r.Categories = d.Features, d.Target, d.Categories
	begin := time.Now()
	training, end := limited(c.Context, limit)
	defer end()
	if t, ok := training.Deadline(); ok {
		p.Until(t)
	}
	fitted, err := session.Within(ctx, func() (*lder.Regressor, error) {
		return r, r.FitColumns(training, d.Columns, d.Y, d.weights)
	})
	p.Stop()
	if fitted == nil {
		fitted = &lder.Regressor{} // r may still be written to
	}
	return fitted, time.Since(begin), err
}

// trainingProgress makes the training show how far it is, as the flags say; stop the result.
func trainingProgress(c *cli.Context, set *lder.Settings) (p *session.Progress) {
	switch {
	case c.Bool("verbose"):
		set.Recorder = ccp.Printer(c.App.ErrWriter)
		set.Progress = func(done, total int) { fmt.Fprintf(c.App.ErrWriter, "%d of %d\n", done, total) }
	case !c.Bool("quiet"):
		p = session.Of(c).Log.Progress("training")
		p.Portion(0, 1)
		set.Recorder = p.Recorder(0)
		set.Progress = func(done, total int) {
			p.Say("training, %d of %d", done, total)
			p.Portion(float64(done), float64(total))
		}
	}
	return p
}

// withFirst returns a context that ends with ctx, but only until the first
// iteration, or unit of work, is done: up to then there is no model to wait for.
func withFirst(ctx context.Context, set *lder.Settings) (context.Context, context.CancelCauseFunc) {
	first, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	begun := context.AfterFunc(ctx, func() { cancel(ctx.Err()) })
	recorder, progress := set.Recorder, set.Progress
	set.Recorder = ccp.RecorderFunc(func(it ccp.Iteration) error {
		begun()
		if recorder == nil {
			return nil
		}
		return recorder.Record(it)
	})
	set.Progress = func(n, total int) {
		if n > 0 {
			begun()
		}
		if progress != nil {
			progress(n, total)
		}
	}
	return first, cancel
}
