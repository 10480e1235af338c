package models

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/internal/suggest"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/shards"
)

// Parts are the files of a table in parts: several arguments, or those that fit a pattern;
// nil where the arguments are one file.
func Parts(c *cli.Context) (paths []string, err error) {
	args := c.Args().Slice()
	patterns := false
	for _, arg := range args {
		if _, err := os.Stat(arg); err == nil || !strings.ContainsAny(arg, "*?[") {
			paths = append(paths, arg)
			continue
		}
		patterns = true
		found, err := filepath.Glob(arg)
		if err != nil {
			return nil, exit.Usagef("%s: %w", arg, err)
		}
		if len(found) == 0 {
			return nil, exit.Usagef("%s: no file fits the pattern", arg)
		}
		paths = append(paths, found...) // in alphabetical order
	}
	if len(args) < 2 && !patterns {
		return nil, nil
	}
	for k, path := range paths {
		if path == "-" || path == "" {
			return nil, exit.Usagef("fit: %q is no part of a table: parts are read several times, so they are files",
				path)
		}
		if slices.Contains(paths[:k], path) {
			return nil, exit.Usagef("fit: %s is named twice", path)
		}
	}
	return paths, nil
}

// BagsFlag is the flag for bags of a fit over parts.
func BagsFlag() cli.Flag {
	return &cli.IntFlag{Name: "bags",
		Usage: "of a table in parts: the mean of `N` refits, of which each counts every row as often as it is " +
			"drawn, with errors on rows that were not"}
}

// Bags reads --bags, for a fit by a method.
func Bags(c *cli.Context, method lder.Method) (int, error) {
	n := c.Int("bags")
	switch {
	case !c.IsSet("bags"):
		return 0, nil
	case method != lder.Refit:
		return 0, exit.Usagef("--bags are fits of the method refit, not of %v", method)
	case n < 2 || n > shards.MostFolds:
		return 0, exit.Usagef("--bags %d: want from 2 to %d", n, shards.MostFolds)
	}
	return n, nil
}

// openParts finds the features, columns of the first file.
func openParts(c *cli.Context, paths []string) (p *shards.Files, features []string, err error) {
	p = &shards.Files{Paths: paths, Options: dataset.Options{DecimalComma: c.Bool("decimal-comma")}}
	for _, path := range paths {
		if err := session.Of(c).ReadsPath(path); err != nil {
			return nil, nil, err
		}
	}
	names, err := session.Within(c.Context, func() ([]string, error) { return p.Columns(c.Context, 0) })
	if err != nil {
		return nil, nil, PartsError(err)
	}
	target := c.String("target")
	for _, name := range append([]string{target}, c.StringSlice("exclude")...) {
		if !slices.Contains(names, name) {
			return nil, nil, exit.Usagef("%s: no column %q%s", paths[0], name, suggest.DidYouMean(name, names))
		}
	}
	for _, name := range names {
		if name != "" && name != target && !slices.Contains(c.StringSlice("exclude"), name) {
			features = append(features, name)
		}
	}
	if len(features) == 0 {
		return nil, nil, exit.Usagef("%s: no column is left to be a feature", paths[0])
	}
	return p, features, nil
}

// PartsError is the failure of a fit over parts.
func PartsError(err error) error {
	var pe *fs.PathError
	if exit.IsContext(err) {
		return err
	}
	if errors.As(err, &pe) {
		return session.Unreadable(err)
	}
	return exit.Data(err)
}

// fitParts trains on a table in parts.
func fitParts(c *cli.Context, paths []string) error {
	for _, name := range []string{"classify", "weights", "plot", "drop-text", "categorical"} {
		if c.IsSet(name) {
			return exit.Usagef("--%s needs the table as one file; join the parts", name)
		}
	}
	name := lder.Refit.String()
	if c.IsSet("method") {
		name = c.String("method")
	}
	set, err := Settings(c, name)
	if err != nil {
		return err
	}
	if set.Method != lder.Refit && set.Method != lder.Cheap {
		return exit.Usagef("--method %v needs all rows in memory; a table in parts takes refit or cheap", set.Method)
	}
	bags, err := Bags(c, set.Method)
	if err != nil {
		return err
	}
	limit, out, err := limitAndOut(c)
	if err != nil {
		return err
	}
	defer out.Discard()
	p, features, err := openParts(c, paths)
	if err != nil {
		return err
	}
	line := trainingProgress(c, &set)
	defer line.Stop()
	set.Progress = func(done, _ int) {
		line.Say("pass %d, part %d of %d", 1+(done-1)/len(paths), 1+(done-1)%len(paths), len(paths))
	}
	ctx, end := limited(c.Context, limit)
	defer end()
	begin := time.Now()
	r, err := session.Within(c.Context, func() (*lder.Regressor, error) {
		r := lder.NewRegressor(set)
		r.Features, r.Target = features, c.String("target")
		_, err := shards.Fit(ctx, r, p, shards.Options{Bags: bags})
		return r, err
	})
	line.Stop()
	if err != nil && !exit.IsContext(err) {
		return PartsError(err)
	}
	if r == nil || r.Model == nil && r.Ensemble == nil {
		return noModel(err, "a model")
	}
	if err := Write(r, out, nil, nil, nil); err != nil {
		return err
	}
	if err := Summary(c, r, shards.Scores{}, time.Since(begin)); err != nil {
		return err
	}
	return afterTraining(r.Training.Status)
}
